import { column, table } from "./define.js";
import type { TableModel } from "./table-model.js";

/** The version stamp: one row. */
export const SCHEMA_VERSION_TABLE: TableModel = table({
  name: "schema_version",
  about: "One row: the version of the data migrations this file has been through. Never lowered.",
  primaryKey: [],
  columns: [column("version", "INTEGER", 2, { notNull: true })],
});

/** System prompts by content address. */
export const SYSTEM_PROMPTS: TableModel = table({
  name: "system_prompts",
  about: "Texts that many sessions share, under the SHA-256 of their UTF-8 bytes.",
  primaryKey: ["hash"],
  columns: [
    column("hash", "TEXT", 25, { about: "lower-case hex SHA-256" }),
    column("prompt", "TEXT", 25, { notNull: true }),
  ],
});

/** Keys and values about the file; the known keys are in META_KEYS. */
export const STATE_META: TableModel = table({
  name: "state_meta",
  about: "Facts about the file as text. Unknown keys belong to somebody and are left alone.",
  primaryKey: ["key"],
  columns: [column("key", "TEXT", 8), column("value", "TEXT", 8)],
});

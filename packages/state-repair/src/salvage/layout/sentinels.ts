import { createHash } from "node:crypto";
import type { SqlValue } from "@hermes/state-schema";
import { isPlausibleTime } from "./value-fit.js";

/** A row by column name. */
export type NamedRow = Readonly<Record<string, SqlValue | undefined>>;

/** Whether the cells that identify a row of a table are what they must be. */
interface Sentinel {
  /** For rows of the table's own tree: odd rows of real stores pass. `lost` names what could not be read. */
  readonly inTree: (row: NamedRow, lost: readonly string[]) => boolean;
  /** For rows of pages without an owner: only what cannot be anything else passes. */
  readonly alone: (row: NamedRow, lost: readonly string[]) => boolean;
}

const LONGEST_ID = 1024;
const ROLE = /^[a-z][a-z0-9_.-]{0,31}$/i;
const SOURCE = /^[a-z][a-z0-9_-]{0,31}$/;
const PROMPT_HASH = /^[0-9a-f]{64}$/;

function isId(value: SqlValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_ID;
}

function isHashOf(hash: SqlValue | undefined, text: SqlValue | undefined): boolean {
  if (typeof hash !== "string" || typeof text !== "string" || !PROMPT_HASH.test(hash)) return false;
  return createHash("sha256").update(text, "utf8").digest("hex") === hash;
}

/** A cell behind a long text goes with the text's last page; the row is still itself. */
function isThere(row: NamedRow, name: string, lost: readonly string[]): boolean {
  return (row[name] ?? null) !== null || lost.includes(name);
}

const isText = (value: SqlValue | undefined): boolean => typeof value === "string" && value !== "";

/** The identity of rows of the tables that salvage recognises without their schema. */
export const SENTINELS: Readonly<Record<string, Sentinel | undefined>> = {
  messages: {
    inTree: (row, lost) => isId(row["session_id"]) && isText(row["role"]) && isThere(row, "timestamp", lost),
    alone: (row, lost) =>
      isId(row["session_id"]) &&
      ROLE.test(String(row["role"])) &&
      (typeof row["timestamp"] === "number" || lost.includes("timestamp")),
  },
  sessions: {
    inTree: (row, lost) => isId(row["id"]) && isText(row["source"]) && isThere(row, "started_at", lost),
    alone: (row) => isId(row["id"]) && SOURCE.test(String(row["source"])) && isPlausibleTime(row["started_at"]),
  },
  session_model_usage: {
    inTree: (row) => isId(row["session_id"]) && typeof row["model"] === "string",
    alone: (row) => isId(row["session_id"]) && isText(row["model"]) && typeof row["billing_provider"] === "string",
  },
  system_prompts: {
    inTree: (row) => isText(row["hash"]) && typeof row["prompt"] === "string",
    alone: (row) => isHashOf(row["hash"], row["prompt"]),
  },
};

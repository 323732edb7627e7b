import { TABLES } from "@hermes/state-schema";
import type { ColumnModel, TableName } from "@hermes/state-schema";
import { CHILD_TABLES, DERIVED_COLUMNS } from "../rows/entities.js";
import type { ChildEntity } from "../rows/entities.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { cellFromJson } from "./cell-json.js";

/** The row, or what is wrong with it. */
export type DecodedRow = { readonly row: RawRow } | { readonly message: string };

/** The table behind a kind of record. */
export function tableOf(entity: "session" | ChildEntity): TableName {
  return CHILD_TABLES.find((child) => child.entity === entity)?.table ?? "sessions";
}

/**
 * Decodes the row of a record: every column that the header lists is set, NULL where the record leaves it out. A column
 * that must not be NULL takes its default instead.
 *
 * @param listed - The columns that the header lists for this kind of record.
 */
export function decodeRow(
  entity: "session" | ChildEntity,
  json: Readonly<Record<string, unknown>>,
  listed: Readonly<Record<string, string>>,
): DecodedRow {
  const models = new Map(TABLES[tableOf(entity)].columns.map((column) => [column.name, column]));
  const row: Record<string, Cell> = {};
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(listed, name)) return { message: `the column ${JSON.stringify(name)} is not in the header` };
  }
  for (const name of Object.keys(listed)) {
    const cell = Object.hasOwn(json, name) ? cellFromJson(json[name]) : null;
    if (cell === undefined) return { message: `the cell ${JSON.stringify(name)} holds no value of a column` };
    const model = models.get(name);
    if (cell !== null || !needsValue(model, listed[name] ?? "")) row[name] = cell;
    else if (model && model.default === undefined) return { message: `the column ${JSON.stringify(name)} is missing` };
  }
  return { row };
}

function needsValue(model: ColumnModel | undefined, declaration: string): boolean {
  return model ? model.notNull && !DERIVED_COLUMNS.has(model.name) : / NOT NULL/i.test(declaration);
}

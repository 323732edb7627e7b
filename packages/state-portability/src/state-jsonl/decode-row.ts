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

/** How the rows of one kind are decoded, with the columns that a header lists. */
interface ListedColumn {
  readonly name: string;
  readonly needsValue: boolean;
  /** It must be there: NULL is not allowed, and it has no default. */
  readonly required: boolean;
}

type Listed = Readonly<Record<string, string>>;

const plans = new WeakMap<Listed, Map<string, readonly ListedColumn[]>>();

/**
 * Decodes the row of a record: every column that the header lists is set, NULL where the record leaves it out. A column
 * that must not be NULL takes its default instead.
 *
 * @param listed - The columns that the header lists for this kind of record.
 */
export function decodeRow(
  entity: "session" | ChildEntity,
  json: Readonly<Record<string, unknown>>,
  listed: Listed,
): DecodedRow {
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(listed, name)) return { message: `the column ${JSON.stringify(name)} is not in the header` };
  }
  const row: Record<string, Cell> = {};
  for (const { name, needsValue, required } of columnsOf(entity, listed)) {
    const cell = Object.hasOwn(json, name) ? cellFromJson(json[name]) : null;
    if (cell === undefined) return { message: `the cell ${JSON.stringify(name)} holds no value of a column` };
    if (cell !== null || !needsValue) row[name] = cell;
    else if (required) return { message: `the column ${JSON.stringify(name)} is missing` };
  }
  return { row };
}

/** Worked out once per header: it holds for every row. */
function columnsOf(entity: "session" | ChildEntity, listed: Listed): readonly ListedColumn[] {
  let known = plans.get(listed);
  if (!known) plans.set(listed, (known = new Map<string, readonly ListedColumn[]>()));
  let columns = known.get(entity);
  if (!columns) {
    const models = new Map(TABLES[tableOf(entity)].columns.map((column) => [column.name, column]));
    columns = Object.entries(listed).map(([name, declaration]) => listedColumn(name, declaration, models.get(name)));
    known.set(entity, columns);
  }
  return columns;
}

function listedColumn(name: string, declaration: string, model: ColumnModel | undefined): ListedColumn {
  const needsValue = model ? model.notNull && !DERIVED_COLUMNS.has(model.name) : / NOT NULL/i.test(declaration);
  return { name, needsValue, required: needsValue && model !== undefined && model.default === undefined };
}

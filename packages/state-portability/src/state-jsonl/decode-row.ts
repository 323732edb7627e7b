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

/** A column that a header lists. */
interface ListedColumn {
  readonly name: string;
  readonly needsValue: boolean;
  /** It must be there: NULL is not allowed, and it has no default. */
  readonly required: boolean;
  /** A row without it gets NULL from the table as well, so that it need not be said. */
  readonly nullByDefault: boolean;
}

/** How the rows of one kind are decoded, with the columns that a header lists. */
interface DecodePlan {
  readonly columns: ReadonlyMap<string, ListedColumn>;
  /** Columns whose absence means something. */
  readonly watched: readonly ListedColumn[];
}

type Listed = Readonly<Record<string, string>>;

const plans = new WeakMap<Listed, Map<string, DecodePlan>>();

/**
 * Decodes the row of a record. A column that the header lists and the record leaves out is NULL: the row says so,
 * except where a new row of a session's child is NULL there by itself. One that must not be NULL takes its default.
 *
 * @param listed - The columns that the header lists for this kind of record.
 */
export function decodeRow(
  entity: "session" | ChildEntity,
  json: Readonly<Record<string, unknown>>,
  listed: Listed,
): DecodedRow {
  const { columns, watched } = planOf(entity, listed);
  if (isPlain(json, columns, watched)) return { row: json };
  for (const name of Object.keys(json)) {
    if (!columns.has(name)) return { message: `the column ${JSON.stringify(name)} is not in the header` };
  }
  const row: Record<string, Cell> = {};
  for (const { name, needsValue, required, nullByDefault } of columns.values()) {
    const given = Object.hasOwn(json, name);
    const cell = given ? cellFromJson(json[name]) : null;
    if (cell === undefined) return { message: `the cell ${JSON.stringify(name)} holds no value of a column` };
    if (cell === null && needsValue) {
      if (required) return { message: `the column ${JSON.stringify(name)} is missing` };
    } else if (given || !nullByDefault) row[name] = cell;
  }
  return { row };
}

/** Most rows are: every cell stands for itself, and no column is missed. Such a row is what the record says. */
function isPlain(
  json: Readonly<Record<string, unknown>>,
  columns: DecodePlan["columns"],
  watched: DecodePlan["watched"],
): json is RawRow {
  for (const name in json) {
    const cell = json[name];
    if (typeof cell !== "string" && (typeof cell !== "number" || !Number.isFinite(cell))) return false;
    if (!columns.has(name)) return false;
  }
  for (const { name } of watched) if (!Object.hasOwn(json, name)) return false;
  return true;
}

/** Worked out once per header: it holds for every row. */
function planOf(entity: "session" | ChildEntity, listed: Listed): DecodePlan {
  let known = plans.get(listed);
  if (!known) plans.set(listed, (known = new Map<string, DecodePlan>()));
  let plan = known.get(entity);
  if (!plan) {
    const models = new Map(TABLES[tableOf(entity)].columns.map((column) => [column.name, column]));
    const columns = Object.entries(listed).map(([name, declaration]) => ({
      ...listedColumn(name, declaration, models.get(name)),
      ...(entity === "session" && { nullByDefault: false }),
    }));
    plan = {
      columns: new Map(columns.map((column) => [column.name, column])),
      watched: columns.filter(({ nullByDefault }) => !nullByDefault),
    };
    known.set(entity, plan);
  }
  return plan;
}

function listedColumn(name: string, declaration: string, model: ColumnModel | undefined): ListedColumn {
  const needsValue = model ? model.notNull && !DERIVED_COLUMNS.has(model.name) : / NOT NULL/i.test(declaration);
  const required = needsValue && model !== undefined && model.default === undefined;
  return {
    name,
    needsValue,
    required,
    nullByDefault: !needsValue && model !== undefined && model.default === undefined,
  };
}

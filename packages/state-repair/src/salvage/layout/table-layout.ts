import { TABLES } from "@hermes/state-schema";
import type { ColumnModel, SqlValue, TableModel } from "@hermes/state-schema";
import type { NamedRow } from "./sentinels.js";
import { isPlausibleTime } from "./value-fit.js";

/** Where a layout comes from: the file's own schema, the model's history, or a guess from the first columns. */
export type LayoutOrigin = "schema" | "history" | "prefix";

/** How the fields of a table's records map to names. */
export interface TableLayout {
  readonly table: string;
  readonly origin: LayoutOrigin;
  /** In physical order. */
  readonly columns: readonly string[];
  /** The column that stands for the rowid; its field in a record is NULL. */
  readonly rowidColumn: string | undefined;
}

const MODELS: Readonly<Record<string, TableModel | undefined>> = TABLES;

/** The model of a table, when this stack has one. */
export function modelOf(table: string): TableModel | undefined {
  return MODELS[table];
}

/** The column of a known table that is its rowid. */
export function rowidColumnOf(model: TableModel): string | undefined {
  const [key, ...more] = model.primaryKey;
  if (more.length > 0) return undefined;
  return model.columns.some(({ name, type }) => name === key && type === "INTEGER") ? key : undefined;
}

/** What naming needs to know of a layout, worked out once. */
interface NamePlan {
  /** A row without values: copies of it share one shape, which makes them cheap. */
  readonly empty: Readonly<Record<string, SqlValue>>;
  /** What a missing field of each place reads as. */
  readonly gaps: readonly SqlValue[];
  /** Places that must not be NULL. */
  readonly required: readonly boolean[];
}

const plans = new WeakMap<TableLayout, NamePlan>();

function planOf(layout: TableLayout): NamePlan {
  const known = plans.get(layout);
  if (known) return known;
  const model = modelOf(layout.table);
  const columns = layout.columns.map((name) => model && columnOf(model, name));
  const plan: NamePlan = {
    empty: Object.fromEntries(layout.columns.map((name) => [name, null])),
    gaps: columns.map((column) => column?.default ?? null),
    required: columns.map((column) => column?.notNull === true),
  };
  plans.set(layout, plan);
  return plan;
}

/**
 * Names the fields of a record. What a record lacks, or must not lack, comes from the schema's default; identity never
 * does, since it has none.
 */
export function nameFields(layout: TableLayout, values: readonly SqlValue[], rowid: number): NamedRow {
  const { empty, gaps, required } = planOf(layout);
  const row: Record<string, SqlValue> = { ...empty };
  const { columns } = layout;
  for (let place = 0; place < columns.length; place += 1) {
    const value = values[place];
    const missing = value === undefined || (value === null && required[place] === true);
    row[columns[place] ?? ""] = missing ? (gaps[place] ?? null) : value;
  }
  if (layout.rowidColumn !== undefined) row[layout.rowidColumn] = rowid;
  if (layout.origin === "prefix") addTime(layout, values, row);
  return row;
}

/** The time that belongs to a row's identity; behind the columns whose place is known its place varies. */
const TIME_OF: Readonly<Record<string, string | undefined>> = { messages: "timestamp", sessions: "started_at" };

function addTime({ table, columns }: TableLayout, values: readonly SqlValue[], row: Record<string, SqlValue>): void {
  const name = TIME_OF[table];
  if (name === undefined || name in row) return;
  row[name] = values.slice(columns.length).find((value) => isPlausibleTime(value)) ?? null;
}

const byName = new WeakMap<TableModel, ReadonlyMap<string, ColumnModel>>();

/** A column of a model by its name. */
export function columnOf(model: TableModel, name: string): ColumnModel | undefined {
  let columns = byName.get(model);
  if (!columns) byName.set(model, (columns = new Map(model.columns.map((column) => [column.name, column]))));
  return columns.get(name);
}

import type { ColumnModel, ColumnType, ForeignKeyModel, IndexModel, TableModel } from "./table-model.js";

/** What a column may say beyond its name, type and age. */
export interface ColumnOptions {
  readonly notNull?: boolean;
  readonly default?: string | number;
  readonly about?: string;
}

/**
 * Declares one column.
 *
 * @param since - See {@link ColumnModel.since}.
 */
export function column(name: string, type: ColumnType, since: number, options: ColumnOptions = {}): ColumnModel {
  const { notNull = false, about } = options;
  return Object.freeze({ name, type, notNull, default: options.default, since, about });
}

/** Declares several columns of one type and age without constraint or default. */
export function columns(type: ColumnType, since: number, ...names: string[]): readonly ColumnModel[] {
  return names.map((name) => column(name, type, since));
}

/** Declares several counters: INTEGER that reads as 0 when absent. */
export function counters(since: number, notNull: boolean, ...names: string[]): readonly ColumnModel[] {
  return names.map((name) => column(name, "INTEGER", since, { notNull, default: 0 }));
}

/** Declares an index; `base` and not unique unless said otherwise. */
export function index(
  name: string,
  on: string,
  options: Partial<Pick<IndexModel, "where" | "unique" | "stage">> = {},
): IndexModel {
  const { where, unique = false, stage = "base" } = options;
  return Object.freeze({ name, on, where, unique, stage });
}

/** Declares a reference. */
export function reference(
  column: string,
  table: string,
  references: string,
  onDelete?: ForeignKeyModel["onDelete"],
): ForeignKeyModel {
  return Object.freeze({ column, table, references, onDelete });
}

/** Declares a table that every file has, unless `presence` says otherwise. */
export function table(
  model: Pick<TableModel, "name" | "about" | "columns" | "primaryKey"> & Partial<TableModel>,
): TableModel {
  return Object.freeze({ autoincrement: false, foreignKeys: [], indexes: [], presence: "always", ...model });
}

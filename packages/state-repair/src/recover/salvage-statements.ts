import type { SqlValue, TableModel } from "@hermes/state-schema";
import type { SalvagedRow } from "../salvage/salvaged-row.js";
import { quote } from "./copy-statements.js";

/** The statements that put salvaged rows of one table into the output. */
export interface SalvageStatements {
  readonly insert: string;
  readonly replace: string;
  /** Parameters: the key's values. The row's cells in the model's order. */
  readonly find: string;
}

/** Builds them for the columns of the model, in its order. */
export function salvageStatements(model: TableModel): SalvageStatements {
  const names = model.columns.map(({ name }) => quote(name)).join(", ");
  const marks = model.columns.map(() => "?").join(", ");
  const into = `INTO main.${quote(model.name)} (${names}) VALUES (${marks})`;
  const key = model.primaryKey.map((name) => `${quote(name)} IS ?`).join(" AND ");
  return {
    insert: `INSERT OR IGNORE ${into}`,
    replace: `INSERT OR REPLACE ${into}`,
    find: `SELECT ${names} FROM main.${quote(model.name)} WHERE ${key === "" ? "1" : key}`,
  };
}

/** Cells of a salvaged row in the model's order; what must not be NULL and is lost reads as its default. */
export function cellsOf(model: TableModel, row: SalvagedRow): SqlValue[] {
  return model.columns.map(({ name, notNull, default: standard }) => {
    const value = row.values[name] ?? null;
    return value === null && notNull ? (standard ?? null) : value;
  });
}

/** The key of a salvaged row. */
export function keyOf(model: TableModel, row: SalvagedRow): SqlValue[] {
  return model.primaryKey.map((name) => row.values[name] ?? null);
}

import type { SqlValue, TableModel } from "@hermes/state-schema";
import { isPlausibleTime } from "../salvage/layout/value-fit.js";
import type { SalvagedRow } from "../salvage/salvaged-row.js";
import { quote } from "./copy-statements.js";

/** The statements that put salvaged rows of one table into the output. */
export interface SalvageStatements {
  readonly insert: string;
  readonly replace: string;
  /** Parameters: the key's values. */
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
    find: `SELECT 1 AS present FROM main.${quote(model.name)} WHERE ${key === "" ? "1" : key}`,
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

/** Remembers the last time that was read, for rows whose own was lost with the end of a long text. */
export class LastTime {
  #seconds = 0;

  /** Gives a row without its time that of the row before it. */
  complete(row: SalvagedRow, column: "timestamp" | "started_at"): SalvagedRow {
    const time = row.values[column];
    if (time === null || time === undefined) return { ...row, values: { ...row.values, [column]: this.#seconds } };
    if (isPlausibleTime(time)) this.#seconds = time as number;
    return row;
  }
}

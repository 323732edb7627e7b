import type { ColumnModel, SqlValue } from "@hermes/state-schema";

/** Times between 2001 and 2096: what a clock of a working machine says, in seconds. */
const EARLIEST = 1_000_000_000;
const LATEST = 4_000_000_000;

const TIME = /(?:_at|_until|_deadline|_seen)$|^timestamp$/;
const FLAG = new Set(["active", "compacted", "archived", "auto_archived", "pinned", "hidden", "_compressed_summary"]);

/** True for a number of seconds that a real clock can have said. */
export function isPlausibleTime(value: SqlValue | undefined): boolean {
  return typeof value === "number" && value >= EARLIEST && value <= LATEST;
}

/** True when the engine can have stored such a value in a column of this type. */
function storable(type: ColumnModel["type"], value: SqlValue): boolean {
  switch (type) {
    case "TEXT":
      return typeof value === "string";
    case "INTEGER":
      return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    case "REAL":
      return typeof value === "number";
    case "BLOB":
      return value instanceof Uint8Array;
  }
}

/**
 * How badly a value fits a column: 0 it fits, 1 it cannot have been written there. Rows of real stores hold a few odd
 * values, so this ranks layouts; it never refuses a row.
 */
export function misfit(column: ColumnModel, value: SqlValue | undefined): number {
  if (value === undefined) return 0;
  if (value === null) return column.notNull ? 0.5 : 0;
  if (!storable(column.type, value)) return 1;
  if (column.type === "REAL" && TIME.test(column.name)) return isPlausibleTime(value) ? 0 : 1;
  if (FLAG.has(column.name)) return value === 0 || value === 1 ? 0 : 1;
  if (column.about?.startsWith("JSON") === true) return /^\s*[[{"]/.test(value as string) ? 0 : 0.5;
  return 0;
}

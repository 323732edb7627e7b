import type { Reader, SqlValue } from "@hermes/state-schema";
import { quoteName } from "./quote-name.js";
import { RawText } from "./raw-row.js";
import type { Cell, RawRow } from "./raw-row.js";

const REPLACEMENT = "\uFFFD";

/** Where a row stands: its table and the cells that tell it apart. */
export interface RowAddress {
  readonly table: string;
  readonly key: Readonly<Record<string, SqlValue>>;
}

/** Integers beyond 2^53 arrive rounded, and bytes that are no UTF-8 arrive as U+FFFD: both are worth a second look. */
function isSuspect(value: SqlValue): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "string" && value.includes(REPLACEMENT);
}

/**
 * Replaces the cells that the driver could not return exactly (POR-01).
 *
 * @param row - A row just read at `address`, in the same read.
 */
export function exactRow(r: Reader, address: RowAddress, row: Readonly<Record<string, SqlValue>>): RawRow {
  const suspects = Object.entries(row).filter(([, value]) => isSuspect(value));
  if (suspects.length === 0) return row;
  const exact: Record<string, Cell> = { ...row };
  for (const [column, value] of suspects) exact[column] = exactCell(r, address, column, value);
  return exact;
}

function exactCell(r: Reader, address: RowAddress, column: string, value: SqlValue): Cell {
  const name = quoteName(column);
  const where = Object.keys(address.key)
    .map((key) => `${quoteName(key)} IS ?`)
    .join(" AND ");
  const stored = r.get<{ kind: string; digits: string; bytes: Uint8Array }>(
    `SELECT typeof(${name}) AS kind, CAST(${name} AS TEXT) AS digits, CAST(${name} AS BLOB) AS bytes
       FROM ${quoteName(address.table)} WHERE ${where}`,
    Object.values(address.key),
  );
  if (stored?.kind === "integer") return BigInt(stored.digits);
  if (stored?.kind === "text" && typeof value === "string" && !Buffer.from(value, "utf8").equals(stored.bytes)) {
    return new RawText(stored.bytes);
  }
  return value;
}

import type { SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "./seconds.js";

/**
 * Turns one cell into a value. A cell that cannot be read as its type gives `undefined` and calls `damaged`, so that it
 * never throws for its neighbours (P28).
 */
export type CellReader = (cell: SqlValue, damaged: () => void) => unknown;

function reader(
  accepts: (cell: SqlValue) => boolean,
  convert: (cell: SqlValue) => unknown = (cell) => cell,
): CellReader {
  return (cell, damaged) => {
    if (cell === null) return null;
    if (accepts(cell)) return convert(cell);
    damaged();
    return undefined;
  };
}

/** Text as it is. */
export const readText: CellReader = reader((cell) => typeof cell === "string");

/** A whole number that JavaScript holds exactly. */
export const readInteger: CellReader = reader((cell) => Number.isSafeInteger(cell));

/** A finite number. */
export const readReal: CellReader = reader((cell) => Number.isFinite(cell));

/** REAL seconds since the epoch, between 1970 and 9999. */
export const readSeconds: CellReader = reader(isSaneSeconds);

const readFlagCell = reader((cell) => typeof cell === "number", (cell) => cell !== 0);

/** A flag stored as 0 or 1; NULL is false. */
export const readFlag: CellReader = (cell, damaged) => (cell === null ? false : readFlagCell(cell, damaged));

/** Bytes. */
export const readBytes: CellReader = reader((cell) => cell instanceof Uint8Array);

import { encodeJsonText, isSaneSeconds } from "@hermes/state-core";
import type { JsonValue } from "@hermes/state-core";
import type { ColumnModel } from "@hermes/state-schema";
import type { Cell } from "../rows/raw-row.js";
import { BadItem } from "../import/bad-item.js";
import { JSON_COLUMNS } from "./peer-columns.js";

function shown(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

/**
 * A moment as the peer's file may spell it: a number, or digits in a string.
 *
 * @returns REAL seconds, or undefined when it is no moment between 1970 and 9999.
 */
export function peerSeconds(value: unknown): number | undefined {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return isSaneSeconds(seconds) ? seconds : undefined;
}

/**
 * Turns a value of the peer's file into a cell of a column.
 *
 * @throws BadItem when the value cannot be one of that column.
 */
export function peerCell(column: ColumnModel, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (column.type === "TEXT") return textCell(column.name, value);
  if (column.type === "INTEGER") return integerCell(column.name, value);
  if (column.type === "REAL") return realCell(column.name, value);
  throw new BadItem(`${column.name} cannot be imported`);
}

function textCell(name: string, value: unknown): string | null {
  if (typeof value === "string") return value;
  if (JSON_COLUMNS.has(name) && typeof value === "object") return encodeJsonText(value as JsonValue);
  throw new BadItem(`${name} must be text, not ${shown(value)}`);
}

function integerCell(name: string, value: unknown): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (Number.isSafeInteger(value)) return value as number;
  const given = typeof value === "number" || typeof value === "bigint" ? value : shown(value);
  throw new BadItem(`${name} must be a whole number up to 2^53, not ${given}`);
}

/** A moment that is none, and a cost that is no number, become NULL: SQLite stores NaN so as well. */
function realCell(name: string, given: unknown): number | null {
  const value = typeof given === "bigint" ? Number(given) : given;
  if (name.endsWith("_usd")) {
    if (typeof value !== "number") throw new BadItem(`${name} must be a number, not ${shown(value)}`);
    return Number.isFinite(value) ? value : null;
  }
  if (typeof value !== "number" && typeof value !== "string")
    throw new BadItem(`${name} must be a number, not ${shown(value)}`);
  return peerSeconds(value) ?? null;
}

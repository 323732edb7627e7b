import { RawText } from "../rows/raw-row.js";
import type { Cell, RawRow } from "../rows/raw-row.js";

/**
 * A cell as JSON. Strings, finite numbers and null stand for themselves; what JSON cannot say exactly is an object with
 * one key: `$int` (decimal digits beyond 2^53), `$real` (an infinity), `$blob` and `$text` (base64; `$text` is text
 * that is not valid UTF-8).
 */
export type CellJson =
  | string
  | number
  | null
  | { readonly $int: string }
  | { readonly $real: "Infinity" | "-Infinity" }
  | { readonly $blob: string }
  | { readonly $text: string };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Encodes one cell (POR-01). */
export function cellToJson(cell: Cell): CellJson {
  if (cell === null || typeof cell === "string") return cell;
  if (typeof cell === "bigint") return { $int: cell.toString() };
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : { $real: cell > 0 ? "Infinity" : "-Infinity" };
  if (cell instanceof RawText) return { $text: Buffer.from(cell.bytes).toString("base64") };
  return { $blob: Buffer.from(cell).toString("base64") };
}

/**
 * Decodes one cell.
 *
 * @returns The cell, or undefined when the JSON value is none.
 */
export function cellFromJson(json: unknown): Cell | undefined {
  if (json === null || typeof json === "string") return json;
  if (typeof json === "number") return Number.isFinite(json) ? json : undefined;
  if (typeof json !== "object" || Array.isArray(json)) return undefined;
  const [entry, ...others] = Object.entries(json);
  if (!entry || others.length > 0 || typeof entry[1] !== "string") return undefined;
  return fromTagged(entry[0], entry[1]);
}

function fromTagged(tag: string, text: string): Cell | undefined {
  if (tag === "$real") return text === "Infinity" ? Infinity : text === "-Infinity" ? -Infinity : undefined;
  if (tag === "$int") return fromDigits(text);
  if (tag !== "$blob" && tag !== "$text") return undefined;
  if (!BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return tag === "$blob" ? bytes : new RawText(bytes);
}

function fromDigits(text: string): bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Encodes a row; NULL cells are left out, since the header says which columns there are. */
export function rowToJson(row: RawRow): Record<string, CellJson> {
  const json: Record<string, CellJson> = {};
  for (const [column, cell] of Object.entries(row)) {
    if (cell !== null) json[column] = cellToJson(cell);
  }
  return json;
}

import type { SqlValue } from "@hermes/state-schema";
import type { Payload } from "../btree/overflow.js";
import { readVarint, type VarintCursor } from "../btree/varint.js";
import type { TextEncoding } from "../pages/file-header.js";
import { decodeText } from "./decode-text.js";

/** A record's fields in physical order. */
export interface DecodedRecord {
  readonly values: readonly SqlValue[];
  /** Places of fields that could be read only in part, or not at all. */
  readonly damaged: readonly number[];
}

/** Bytes of each fixed serial type; 10 and 11 are not used in files. */
const WIDTHS = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0] as const;
const MOST_FIELDS = 2000;
const INTACT: readonly number[] = [];

function bodyLength(type: number): number {
  if (type >= 12) return (type - (type % 2 === 0 ? 12 : 13)) / 2;
  return WIDTHS[type] ?? Number.NaN;
}

/**
 * Reads the serial types, and refuses bytes that are no record: types that do not exist, a header that does not end
 * where it says, a body that is not exactly as long as the types say.
 */
function readTypes(payload: Payload): { readonly types: readonly number[]; readonly body: number } | undefined {
  const { bytes, start, end } = payload;
  const cursor: VarintCursor = { at: start };
  const headerSize = readVarint(bytes, cursor);
  const body = start + headerSize;
  if (!(headerSize >= 1 && body <= end)) return undefined;
  const types: number[] = [];
  let length = 0;
  while (cursor.at < body) {
    const type = readVarint(bytes, cursor);
    length += bodyLength(type);
    if (Number.isNaN(length) || types.push(type) > MOST_FIELDS) return undefined;
  }
  if (cursor.at !== body || body + length !== end + payload.missing) return undefined;
  return { types, body };
}

function readInteger(bytes: Buffer, at: number, width: number): SqlValue {
  if (width <= 6) return bytes.readIntBE(at, width);
  const value = bytes.readBigInt64BE(at);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Numbers and constants; text and blobs are read by the caller. */
function readFixed(bytes: Buffer, at: number, type: number): SqlValue {
  if (type === 0) return null;
  if (type === 8) return 0;
  if (type === 9) return 1;
  return type === 7 ? bytes.readDoubleBE(at) : readInteger(bytes, at, WIDTHS[type] ?? 0);
}

/**
 * Decodes a record. A field whose bytes are lost comes back as far as it goes and is named in `damaged`.
 *
 * @returns Undefined when the bytes are no record.
 */
export function decodeRecord(payload: Payload, encoding: TextEncoding): DecodedRecord | undefined {
  const parsed = readTypes(payload);
  if (!parsed) return undefined;
  const { bytes, end } = payload;
  const values: SqlValue[] = [];
  let damaged = INTACT;
  let at = parsed.body;
  for (const type of parsed.types) {
    const to = at + bodyLength(type);
    const cut = to > end;
    if (type >= 13 && type % 2 === 1) {
      const { text, damaged: broken } = decodeText(bytes, Math.min(at, end), Math.min(to, end), encoding, cut);
      if (broken) damaged = [...damaged, values.length];
      values.push(cut && at >= end ? null : text);
    } else if (cut) {
      damaged = [...damaged, values.length];
      values.push(null);
    } else {
      values.push(type >= 12 ? Buffer.from(bytes.subarray(at, to)) : readFixed(bytes, at, type));
    }
    at = to;
  }
  return { values, damaged };
}

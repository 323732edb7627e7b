import { FTS_TABLE, type Reader } from "@hermes/state-schema";
import { leafRow } from "./index-structure.js";

const DATA = `${FTS_TABLE.word}_data`;
const LISTED = `SELECT id, block FROM ${DATA} WHERE id IN (SELECT value FROM json_each(?))`;
const RANGE = `SELECT block FROM ${DATA} WHERE id BETWEEN ? AND ? ORDER BY id`;
const ROW = `SELECT block FROM ${DATA} WHERE id = ?`;

/** A stretch of leaf pages of one segment. */
export interface PageRange {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

/** One record of the word index. */
export function readRecord(r: Reader, id: number): Uint8Array | undefined {
  return r.get<{ block: Uint8Array }>(ROW, [id])?.block;
}

/** Listed leaf pages of the word index, by their rows. */
export function readListedPages(r: Reader, rows: readonly number[]): ReadonlyMap<number, Uint8Array> {
  return new Map(r.tuples<[number, Uint8Array]>(LISTED, [JSON.stringify(rows)]));
}

/** The pages of a range, of which none is missing; undefined otherwise. */
export function readPageRange(r: Reader, { segment, from, to }: PageRange): readonly Uint8Array[] | undefined {
  const pages = r.tuples<[Uint8Array]>(RANGE, [leafRow(segment, from), leafRow(segment, to)]);
  return pages.length === to - from + 1 ? pages.map(([page]) => page) : undefined;
}

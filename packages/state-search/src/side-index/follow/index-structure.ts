import { VarintReader } from "./varint.js";

/** One sorted run of the index: its leaf pages are numbered from `first` to `last`. */
export interface Segment {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}

/** What an FTS5 index consists of now. */
export interface IndexStructure {
  /** Leaf pages written for new entries since the index was created or emptied; merges do not count. */
  readonly written: number;
  /** Those that still hold something: a merge that is under way empties segments before it drops them. */
  readonly segments: readonly Segment[];
}

/** Row of the structure record in the index's `_data` table. */
export const STRUCTURE_ROW = 10;

const COOKIE_BYTES = 4;
const MOST_SEGMENTS = 2000;
/** Begins a newer kind of record, whose indexes keep tombstones instead of entries. */
const NEWER_RECORD = 0xff;

/**
 * Reads the structure record of an FTS5 index, in the format that all versions since 3.9 write for indexes like ours.
 *
 * @returns Undefined for anything that is not exactly that.
 */
export function parseStructure(record: Uint8Array): IndexStructure | undefined {
  if (record.length <= COOKIE_BYTES || record[COOKIE_BYTES] === NEWER_RECORD) return undefined;
  const reader = new VarintReader(record, COOKIE_BYTES);
  const [levels, count, written] = [reader.next(), reader.next(), reader.next()];
  const segments: Segment[] = [];
  for (let level = 0; level < levels; level++) {
    reader.next(); // How many segments of the level a merge is working on: their entries stay where they are.
    const total = reader.next();
    for (let index = 0; index < total && segments.length <= MOST_SEGMENTS; index++) {
      segments.push({ id: reader.next(), first: reader.next(), last: reader.next() });
    }
  }
  const full = segments.filter(({ first, last }) => first !== 0 || last !== 0);
  const sound = full.every(({ id, first, last }) => id > 0 && first > 0 && last >= first);
  if (!sound || segments.length !== count || reader.at !== record.length || Number.isNaN(written)) return undefined;
  return { written, segments: full };
}

const SEGMENT_ROWS = 2 ** 37;

/** Row of a leaf page in the index's `_data` table. */
export function leafRow(segment: number, page: number): number {
  return segment * SEGMENT_ROWS + page;
}

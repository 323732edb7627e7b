import { VarintReader } from "./varint.js";

const HEADER_BYTES = 4;

function readU16(page: Uint8Array, at: number): number {
  return ((page[at] ?? 0) << 8) | (page[at + 1] ?? 0);
}

/** Where the terms of a page begin: a list of distances behind its content. */
function termOffsets(page: Uint8Array, end: number): readonly number[] | undefined {
  const reader = new VarintReader(page, end);
  const offsets: number[] = [];
  let offset = 0;
  while (reader.at < page.length) {
    offset += reader.next();
    if (!(offset >= HEADER_BYTES && offset < end)) return undefined;
    offsets.push(offset);
  }
  return offsets;
}

/**
 * Collects rows of a list: each is a row id, the first whole and the others as distances, and the positions of the term
 * in it. Positions may go on beyond the page.
 */
function collect(reader: VarintReader, end: number, upTo: number, into: Set<number>): boolean {
  let rowid = 0;
  while (reader.at < end) {
    rowid += reader.next();
    const size = Math.floor(reader.next() / 2);
    if (!Number.isSafeInteger(rowid) || Number.isNaN(size)) return false;
    if (rowid <= upTo) into.add(rowid);
    reader.at += size;
  }
  return true;
}

/** Where the list of a term begins; the first term of a page is whole, the others share a beginning with it. */
function skipTerm(reader: VarintReader, isFirst: boolean): void {
  if (!isFirst) reader.next();
  const length = reader.next();
  reader.at += length;
}

/**
 * Adds the ids of all rows that a leaf page of an FTS5 index says anything about, additions and removals alike. Pages
 * are read one by one: a list that goes on from the page before has its first row id whole again.
 *
 * @param page - A leaf page of an index with positions (`detail=full`).
 * @param upTo - Higher ids are left out.
 * @returns False when the page is not what it should be; what was added then says nothing.
 */
export function leafRowids(page: Uint8Array, upTo: number, into: Set<number>): boolean {
  const firstRowid = readU16(page, 0);
  const end = readU16(page, 2);
  if (page.length < HEADER_BYTES || end < HEADER_BYTES || end > page.length) return false;
  const terms = termOffsets(page, end);
  if (terms === undefined) return false;
  const firstTerm = terms[0] ?? end;
  if (firstRowid !== 0) {
    if (firstRowid < HEADER_BYTES || firstRowid >= firstTerm) return false;
    if (!collect(new VarintReader(page, firstRowid), firstTerm, upTo, into)) return false;
  }
  for (const [index, start] of terms.entries()) {
    const reader = new VarintReader(page, start);
    skipTerm(reader, index === 0);
    const listEnd = terms[index + 1] ?? end;
    if (!(reader.at <= listEnd) || !collect(reader, listEnd, upTo, into)) return false;
  }
  return true;
}

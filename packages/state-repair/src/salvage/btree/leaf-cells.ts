import type { PageFile } from "../pages/page-file.js";
import { cellSpace, isBalanced } from "./is-balanced.js";
import { localPayload } from "./local-payload.js";
import { type Payload, readChain } from "./overflow.js";
import { cellCount, headerOffset } from "./page-shape.js";
import { readVarint } from "./varint.js";

/** One row as a leaf page holds it, its payload not read yet. */
export interface LeafCell {
  readonly rowid: number;
  /** Bytes of the whole record. */
  readonly size: number;
  /** Offset in the page where the record begins. */
  readonly start: number;
  /** Offset in the page behind the cell. */
  readonly end: number;
}

/** Cells of a leaf page, and how many of its pointers led to nothing that can be one. */
export interface LeafCells {
  readonly cells: readonly LeafCell[];
  readonly unreadable: number;
  /** Cells and free space fill the page exactly. */
  readonly balanced: boolean;
}

const LARGEST_RECORD = 1_000_000_000;

function readCell(pages: PageFile, page: Buffer, pointer: number): LeafCell | undefined {
  const cursor = { at: pointer };
  const size = readVarint(page, cursor);
  const rowid = readVarint(page, cursor);
  const start = cursor.at;
  // NaN fails every comparison: a cell is taken only when all of it makes sense.
  if (!(size > 0 && size <= LARGEST_RECORD) || Number.isNaN(rowid)) return undefined;
  const local = localPayload(size, pages.usable);
  const end = start + local + (local < size ? 4 : 0);
  if (end > pages.usable) return undefined;
  if (local < size && size - local > pages.pageCount * (pages.usable - 4)) return undefined;
  return { rowid, size, start, end };
}

/** Reads the cells of a table leaf page; each pointer stands for itself, since a page may be damaged in part. */
export function readLeafCells(pages: PageFile, number: number, page: Buffer): LeafCells {
  const header = headerOffset(number);
  const first = header + 8;
  const declared = cellCount(page, header);
  const count = Math.min(declared, Math.floor((pages.usable - first) / 2));
  const cells: LeafCell[] = [];
  let unreadable = declared - count;
  let space = 0;
  const pointersEnd = first + 2 * count;
  for (let at = first; at < pointersEnd; at += 2) {
    const pointer = page.readUInt16BE(at);
    const cell = pointer >= first && pointer <= pages.usable - 4 ? readCell(pages, page, pointer) : undefined;
    if (!cell) {
      unreadable += 1;
      continue;
    }
    cells.push(cell);
    space += cellSpace(cell.end - pointer);
  }
  return { cells, unreadable, balanced: isBalanced(page, header, pages.usable, space) };
}

/**
 * Reads the record of a cell, from its overflow chain too.
 *
 * @param written - As {@link writtenEnd} says: bytes behind it are lost.
 */
export function readPayload(pages: PageFile, page: Buffer, cell: LeafCell, written: number = pages.usable): Payload {
  const local = localPayload(cell.size, pages.usable);
  const end = cell.start + local;
  if (cell.end > written) {
    const kept = Math.max(cell.start, Math.min(end, written));
    return { bytes: page, start: cell.start, end: kept, missing: cell.start + cell.size - kept };
  }
  if (local === cell.size) return { bytes: page, start: cell.start, end, missing: 0 };
  return readChain(pages, page.subarray(cell.start, end), page.readUInt32BE(end), cell.size);
}

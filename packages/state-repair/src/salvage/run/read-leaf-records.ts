import type { SqlValue } from "@hermes/state-schema";
import { readLeafCells, readPayload } from "../btree/leaf-cells.js";
import { isAscending, longestAscending } from "../btree/longest-ascending.js";
import { writtenEnd } from "../btree/written-end.js";
import { decodeRecord } from "../records/decode-record.js";
import type { SalvageRun } from "./salvage-run.js";

/** A record of a leaf page. */
export interface LeafRecord {
  readonly rowid: number;
  readonly values: readonly SqlValue[];
  /** Places of fields that could be read only in part. */
  readonly damaged: readonly number[];
  /** A part of its overflow chain is lost. */
  readonly cut: boolean;
}

/** The records of a leaf page, in key order. */
export interface LeafRecords {
  readonly records: readonly LeafRecord[];
  /** Pointers that led to no record. */
  readonly unreadable: number;
  /** Cells and free space fill the page exactly: none is missing. */
  readonly balanced: boolean;
  /** Records whose key stands out of order. */
  readonly misplaced: number;
}

/** Reads the records of a table leaf page; those whose keys stand out of order are left out. */
export function readLeafRecords(run: SalvageRun, number: number, page: Buffer): LeafRecords {
  const { cells, unreadable, balanced } = readLeafCells(run.pages, number, page);
  const written = writtenEnd(page, run.pages.usable, unreadable > 0 || !balanced);
  const keys = cells.map(({ rowid }) => rowid);
  const placed = isAscending(keys) ? undefined : longestAscending(keys);
  const records: LeafRecord[] = [];
  let broken = unreadable;
  let misplaced = 0;
  cells.forEach((cell, place) => {
    if (placed?.has(place) === false) {
      misplaced += 1;
      return;
    }
    const payload = readPayload(run.pages, page, cell, written);
    const record = decodeRecord(payload, run.encoding);
    if (record) records.push({ rowid: cell.rowid, ...record, cut: payload.missing > 0 });
    else broken += 1;
  });
  return { records, unreadable: broken, misplaced, balanced };
}

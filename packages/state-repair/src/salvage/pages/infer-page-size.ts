import { lastCellEnd } from "../btree/last-cell-end.js";
import { looksLikeBtree, PAGE_KIND } from "../btree/page-shape.js";
import type { ByteSource } from "./byte-source.js";
import { PAGE_SIZES } from "./file-header.js";

/** Bytes of one sampled stretch, and how many stretches of a file are looked at. */
const STRETCH = 524_288;
const STRETCHES = 6;

/** Places to sample: the whole of a small file, evenly spread stretches of a large one. */
function sampleOffsets(size: number): readonly number[] {
  if (size <= STRETCH * STRETCHES) return Array.from({ length: Math.ceil(size / STRETCH) }, (_, at) => at * STRETCH);
  const stride = Math.floor(size / STRETCHES / STRETCH) * STRETCH;
  return Array.from({ length: STRETCHES }, (_, at) => at * stride);
}

/** How many pages of this size in the samples are laid out as table leaf pages, with a cell at the very end. */
function explainedPages(bytes: ByteSource, pageSize: number): number {
  let count = 0;
  for (const start of sampleOffsets(bytes.size)) {
    const stretch = bytes.read(start, STRETCH);
    for (let at = 0; at + pageSize <= stretch.length; at += pageSize) {
      if (start + at === 0) continue;
      const page = stretch.subarray(at, at + pageSize);
      if (holdsCells(page, pageSize)) count += 1;
    }
  }
  return count;
}

/** Reserved bytes shorten a page a little; half of one does not. */
const MOST_RESERVED = 64;

function holdsCells(page: Buffer, pageSize: number): boolean {
  if (page.readUInt8(0) !== PAGE_KIND.tableLeaf || page.readUInt16BE(3) === 0) return false;
  if (!looksLikeBtree(page, 0, pageSize)) return false;
  const end = lastCellEnd(page, pageSize) ?? 0;
  return end <= pageSize && end >= pageSize - MOST_RESERVED;
}

/**
 * Finds the page size from the pages themselves: only the right size has every b-tree page begin where a page begins
 * and its cells end inside it.
 *
 * @param declared - What the header says; kept unless another size explains more than twice as much.
 * @returns Undefined when nothing in the bytes looks like a page of any size, and the header says nothing.
 */
export function inferPageSize(bytes: ByteSource, declared: number | undefined): number | undefined {
  let best = declared;
  let most = declared === undefined ? 0 : explainedPages(bytes, declared) * 2;
  for (const pageSize of PAGE_SIZES) {
    if (pageSize === declared) continue;
    const count = explainedPages(bytes, pageSize);
    if (count > most) {
      most = count;
      best = pageSize;
    }
  }
  return best;
}

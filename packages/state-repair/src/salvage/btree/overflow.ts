import { writtenEnd } from "./written-end.js";
import { headerOffset, looksLikeBtree } from "./page-shape.js";
import type { PageFile } from "../pages/page-file.js";

/** What could be read of a payload. */
export interface Payload {
  readonly bytes: Buffer;
  /** Offset in `bytes` where the record begins. */
  readonly start: number;
  /** Offset behind the last byte that is the row's own. */
  readonly end: number;
  /** Bytes of the record that were lost behind `end`. */
  readonly missing: number;
}

function isAllZero(page: Buffer): boolean {
  for (let at = 0; at < page.length; at += 1) if (page[at] !== 0) return false;
  return true;
}

/**
 * A page of a chain that was overwritten: its link leaves the file, it links on behind the end, it ends too early, it
 * is a b-tree page, or it is empty all over.
 */
function isForeign(pages: PageFile, number: number, page: Buffer, left: number): boolean {
  const next = page.readUInt32BE(0);
  const isLast = left <= pages.usable - 4;
  if (isLast ? next !== 0 : next < 2 || next > pages.pageCount) return true;
  if (isLast && isAllZero(page)) return true;
  return looksLikeBtree(page, headerOffset(number), pages.usable) && page.readUInt16BE(3) > 0;
}

/**
 * Follows an overflow chain. It ends at the first page that cannot be the row's own, so no other row's bytes are ever
 * taken for text; the number of steps is bounded by the payload's size.
 *
 * @param head - What the row's own page holds of the payload.
 * @param first - Number of the chain's first page.
 * @param size - Bytes of the whole payload.
 */
export function readChain(pages: PageFile, head: Buffer, first: number, size: number): Payload {
  const parts = [head];
  let left = size - head.length;
  let number = first;
  const seen = new Set<number>();
  while (left > 0) {
    const page = seen.has(number) ? undefined : pages.page(number);
    if (!page || isForeign(pages, number, page, left)) break;
    const length = Math.min(left, pages.usable - 4);
    const written = writtenEnd(page, 4 + length, false);
    parts.push(page.subarray(4, written));
    if (written < 4 + length) {
      left -= written - 4;
      break;
    }
    seen.add(number);
    left -= length;
    number = page.readUInt32BE(0);
  }
  const bytes = parts.length === 1 ? head : Buffer.concat(parts);
  return { bytes, start: 0, end: bytes.length, missing: left };
}

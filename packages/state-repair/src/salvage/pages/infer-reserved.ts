import { lastCellEnd } from "../btree/last-cell-end.js";
import { cellCount, looksLikeBtree, PAGE_KIND } from "../btree/page-shape.js";

/** Pages of a file, before it is known how much of each is in use. */
export interface RawPages {
  readonly pageSize: number;
  readonly pageCount: number;
  page(number: number): Buffer | undefined;
}

const SAMPLE = 200;
/** What extensions of the engine reserve; nothing is by far the most common. */
const USUAL = [0, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64];

function sampleLeaves(pages: RawPages): readonly Buffer[] {
  const stride = Math.max(1, Math.floor(pages.pageCount / (SAMPLE * 4)));
  const leaves: Buffer[] = [];
  for (let number = 2; number <= pages.pageCount && leaves.length < SAMPLE; number += stride) {
    const page = pages.page(number);
    if (page?.readUInt8(0) !== PAGE_KIND.tableLeaf || cellCount(page, 0) === 0) continue;
    if (looksLikeBtree(page, 0, pages.pageSize)) leaves.push(page);
  }
  return leaves;
}

/**
 * Finds how many bytes at the end of each page are reserved: cells end where these begin.
 *
 * @param declared - What the header says; kept unless the pages contradict it.
 */
export function inferReserved(pages: RawPages, declared: number | undefined): number {
  const leaves = sampleLeaves(pages);
  let best = declared ?? 0;
  let most = 0;
  for (const reserved of new Set([best, ...USUAL])) {
    const usable = pages.pageSize - reserved;
    if (usable < 480) continue;
    const fitting = leaves.filter((page) => lastCellEnd(page, usable) === usable).length;
    if (fitting > most) {
      most = fitting;
      best = reserved;
    }
  }
  return best;
}

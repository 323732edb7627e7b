import type { PageFile } from "./page-file.js";
import type { PageLedger } from "./page-ledger.js";

/** How far the list of free pages could be followed. */
export interface FreelistReport {
  readonly pages: number;
  /** False when a link was broken or the header did not name the first trunk: deleted rows may look alive. */
  readonly complete: boolean;
}

/** The leaves a trunk page names; undefined when the page cannot be a trunk. */
export function trunkLeaves(pages: PageFile, page: Buffer): readonly number[] | undefined {
  const next = page.readUInt32BE(0);
  const count = page.readUInt32BE(4);
  if (next > pages.pageCount || count > pages.usable / 4 - 2) return undefined;
  const leaves: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const leaf = page.readUInt32BE(8 + 4 * index);
    if (leaf < 2 || leaf > pages.pageCount) return undefined;
    leaves.push(leaf);
  }
  return new Set(leaves).size === count ? leaves : undefined;
}

/** Follows the freelist from the header and marks its pages. */
export function markFreelist(pages: PageFile, ledger: PageLedger): FreelistReport {
  const first = pages.header.freelistTrunk;
  if (first === undefined) return { pages: 0, complete: false };
  let marked = 0;
  let trunk = first;
  while (trunk !== 0) {
    const page = ledger.isFree(trunk) ? undefined : pages.page(trunk);
    const leaves = page && trunkLeaves(pages, page);
    if (!page || !leaves) return { pages: marked, complete: false };
    for (const number of [trunk, ...leaves]) ledger.markFree(number);
    marked += leaves.length + 1;
    trunk = page.readUInt32BE(0);
  }
  return { pages: marked, complete: true };
}

/**
 * Finds trunk pages by their form when the list itself is broken: what they name is free too.
 *
 * @returns How many pages were marked.
 */
export function markTrunksByForm(pages: PageFile, ledger: PageLedger): number {
  let marked = 0;
  for (let number = 2; number <= pages.pageCount; number += 1) {
    if (ledger.isTaken(number) || ledger.isFree(number)) continue;
    const page = pages.page(number);
    const leaves = page && page.readUInt32BE(4) > 0 ? trunkLeaves(pages, page) : undefined;
    if (!leaves || leaves.length === 0) continue;
    for (const free of [number, ...leaves]) if (!ledger.isTaken(free)) ledger.markFree(free);
    marked += leaves.length + 1;
  }
  return marked;
}

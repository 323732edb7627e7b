import type { PageFile } from "../pages/page-file.js";
import { cellSpace, isBalanced } from "./is-balanced.js";
import { isAscending, longestAscending } from "./longest-ascending.js";
import { cellCount, headerOffset } from "./page-shape.js";
import { readVarint } from "./varint.js";

/** A child of an interior page; its rows have keys above `low` and up to `high`. */
export interface TreeChild {
  readonly page: number;
  readonly low: number;
  readonly high: number;
}

/** The children of an interior page, in key order; `intact` when nothing about them is odd. */
export interface TreeChildren {
  readonly children: readonly TreeChild[];
  readonly intact: boolean;
}

interface Divider {
  readonly page: number;
  readonly key: number;
}

function readDividers(pages: PageFile, number: number, page: Buffer): { dividers: Divider[]; whole: boolean } {
  const header = headerOffset(number);
  const first = header + 12;
  const declared = cellCount(page, header);
  const count = Math.min(declared, Math.floor((pages.usable - first) / 2));
  const dividers: Divider[] = [];
  let space = 0;
  for (let at = first; at < first + 2 * count; at += 2) {
    const pointer = page.readUInt16BE(at);
    if (pointer < first || pointer > pages.usable - 5) continue;
    const cursor = { at: pointer + 4 };
    dividers.push({ page: page.readUInt32BE(pointer), key: readVarint(page, cursor) });
    space += cellSpace(cursor.at - pointer);
  }
  const whole = dividers.length === declared && isBalanced(page, header, pages.usable, space);
  return { dividers, whole };
}

/**
 * Reads the children of an interior table page. A key that stands out of order bounds nothing; its child is still
 * followed.
 *
 * @param low - Keys below this page are above it, as its parent says.
 * @param high - Keys below this page are not above it.
 */
export function readChildren(pages: PageFile, number: number, page: Buffer, low: number, high: number): TreeChildren {
  const { dividers, whole } = readDividers(pages, number, page);
  const keys = dividers.map(({ key }) => (key > low && key <= high ? key : Number.NaN));
  const ordered = isAscending(keys) && !keys.some(Number.isNaN);
  const trusted = ordered ? undefined : longestAscending(keys);
  const children: TreeChild[] = [];
  let floor = low;
  dividers.forEach((divider, place) => {
    const known = trusted === undefined || trusted.has(place);
    children.push({ page: divider.page, low: floor, high: known ? divider.key : high });
    if (known) floor = divider.key;
  });
  children.push({ page: page.readUInt32BE(headerOffset(number) + 8), low: floor, high });
  return { children, intact: ordered && whole };
}

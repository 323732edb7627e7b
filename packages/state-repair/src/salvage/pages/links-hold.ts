import { readChildren } from "../btree/interior-children.js";
import { looksLikeBtree, PAGE_KIND } from "../btree/page-shape.js";
import type { PageFile } from "./page-file.js";

const ENOUGH = 0.8;
const SAMPLE = 5000;

/**
 * True when page numbers still mean the pages they were written for: most children of table pages are table pages. In a
 * file with pages put in or cut out between, they are not, and no list of page numbers can be believed.
 */
export function linksHold(pages: PageFile): boolean {
  let children = 0;
  let tablePages = 0;
  for (let number = 2; number <= pages.pageCount && children < SAMPLE; number += 1) {
    const page = pages.page(number);
    if (page?.readUInt8(0) !== PAGE_KIND.tableInterior || !looksLikeBtree(page, 0, pages.usable)) continue;
    for (const child of readChildren(pages, number, page, -Infinity, Infinity).children) {
      const kind = pages.page(child.page)?.readUInt8(0);
      if (kind === undefined) continue;
      children += 1;
      if (kind === PAGE_KIND.tableLeaf || kind === PAGE_KIND.tableInterior) tablePages += 1;
    }
  }
  return tablePages >= children * ENOUGH;
}

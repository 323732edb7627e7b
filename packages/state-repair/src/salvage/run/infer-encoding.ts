import { readLeafCells, readPayload } from "../btree/leaf-cells.js";
import { headerOffset, PAGE_KIND } from "../btree/page-shape.js";
import type { TextEncoding } from "../pages/file-header.js";
import type { PageFile } from "../pages/page-file.js";
import { decodeRecord } from "../records/decode-record.js";

const SAMPLE_PAGES = 100;
const ENOUGH = 200;

interface Zeros {
  characters: number;
  even: number;
  odd: number;
}

function countZeros(text: string, zeros: Zeros): void {
  zeros.characters += text.length;
  for (let at = text.indexOf("\0"); at >= 0; at = text.indexOf("\0", at + 1)) {
    if (at % 2 === 0) zeros.even += 1;
    else zeros.odd += 1;
  }
}

function sampleText(pages: PageFile): Zeros {
  const zeros: Zeros = { characters: 0, even: 0, odd: 0 };
  const stride = Math.max(1, Math.floor(pages.pageCount / (SAMPLE_PAGES * 8)));
  let sampled = 0;
  for (let number = 1; number <= pages.pageCount && sampled < SAMPLE_PAGES; number += stride) {
    const page = pages.page(number);
    if (page?.readUInt8(headerOffset(number)) !== PAGE_KIND.tableLeaf) continue;
    sampled += 1;
    for (const cell of readLeafCells(pages, number, page).cells.slice(0, 10)) {
      const record = decodeRecord(readPayload(pages, page, cell), "utf8");
      for (const value of record?.values ?? []) if (typeof value === "string") countZeros(value, zeros);
    }
  }
  return zeros;
}

/**
 * Finds how text is stored: in 16 bits, every second byte of most names and roles is NUL. What the header says decides
 * only where there is too little text to tell.
 */
export function inferEncoding(pages: PageFile): TextEncoding {
  const { characters, even, odd } = sampleText(pages);
  if (characters < ENOUGH) return pages.header.encoding ?? "utf8";
  if (Math.max(even, odd) * 4 < characters) return "utf8";
  return odd > even ? "utf16le" : "utf16be";
}

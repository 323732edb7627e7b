/** Kinds of b-tree pages by their first byte. */
export const PAGE_KIND = { tableLeaf: 0x0d, tableInterior: 0x05, indexLeaf: 0x0a, indexInterior: 0x02 } as const;

/** Where the b-tree header of a page begins: behind the file header on page 1. */
export function headerOffset(pageNumber: number): number {
  return pageNumber === 1 ? 100 : 0;
}

/** Number of cells a page says it has. */
export function cellCount(page: Buffer, header: number): number {
  return page.readUInt16BE(header + 3);
}

/** Bytes of the b-tree header: interior pages carry a right-most child. */
export function headerLength(kind: number): number {
  return kind === PAGE_KIND.tableInterior || kind === PAGE_KIND.indexInterior ? 12 : 8;
}

/** True when the first byte is that of a b-tree page. */
export function isBtreeKind(kind: number): boolean {
  return kind === 0x0d || kind === 0x05 || kind === 0x0a || kind === 0x02;
}

/**
 * True when the bytes are laid out as a b-tree page of this size: a known kind, cell pointers behind each other, all of
 * them inside the cell area. Free bytes may hold anything, so a page of random bytes practically never passes.
 *
 * @param usable - Page size less the reserved bytes.
 */
export function looksLikeBtree(page: Buffer, header: number, usable: number): boolean {
  if (page.length < usable || !isBtreeKind(page.readUInt8(header))) return false;
  const length = headerLength(page.readUInt8(header));
  const cells = cellCount(page, header);
  const pointersEnd = header + length + 2 * cells;
  const content = page.readUInt16BE(header + 5) || 65_536;
  if (page.readUInt8(header + 7) > 60 || content > usable || pointersEnd > content) return false;
  for (let at = header + length; at < pointersEnd; at += 2) {
    const pointer = page.readUInt16BE(at);
    if (pointer < content || pointer > usable - 4) return false;
  }
  return true;
}

/** Bytes that a freed cell needs at least to be listed. */
const SMALLEST_BLOCK = 4;

/** Bytes in the list of free blocks of a page; NaN when the list is broken. */
function freeBytes(page: Buffer, header: number, usable: number): number {
  let total = 0;
  let last = 0;
  for (let at = page.readUInt16BE(header + 1); at !== 0; at = page.readUInt16BE(at)) {
    if (at <= last || at > usable - SMALLEST_BLOCK) return Number.NaN;
    total += page.readUInt16BE(at + 2);
    last = at;
  }
  return total;
}

/**
 * True when cells, free blocks and fragments fill the cell area of a page exactly, as the engine keeps it. A page whose
 * number of cells was overwritten does not add up, though every cell that is left makes sense.
 *
 * @param cellBytes - Bytes of all cells together, each of at least four.
 */
export function isBalanced(page: Buffer, header: number, usable: number, cellBytes: number): boolean {
  const content = page.readUInt16BE(header + 5) || 65_536;
  return cellBytes + freeBytes(page, header, usable) + page.readUInt8(header + 7) === usable - content;
}

/** Bytes that a cell takes in its page. */
export function cellSpace(size: number): number {
  return Math.max(size, SMALLEST_BLOCK);
}

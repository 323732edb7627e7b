/** So many NUL bytes at the end of a page are a part of it that was never written, or was overwritten. */
const TORN = 512;

/**
 * Where the written part of a page ends: before the NUL bytes at its end, when they are many, or when cells of the page
 * are lost.
 *
 * @param usable - Bytes of the page that are in use.
 */
export function writtenEnd(page: Buffer, usable: number, cellsLost: boolean): number {
  let end = usable;
  while (end > 0 && page[end - 1] === 0) end -= 1;
  return cellsLost || usable - end >= TORN ? end : usable;
}

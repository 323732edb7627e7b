import { localPayload } from "./local-payload.js";
import { cellCount } from "./page-shape.js";
import { readVarint } from "./varint.js";

/** Where the last cell of a table leaf page ends: the first cell that a page gets is put at its very end. */
export function lastCellEnd(page: Buffer, usable: number): number | undefined {
  const count = cellCount(page, 0);
  let pointer = 0;
  for (let at = 8; at < 8 + 2 * count; at += 2) pointer = Math.max(pointer, page.readUInt16BE(at));
  const cursor = { at: pointer };
  const size = readVarint(page, cursor);
  readVarint(page, cursor);
  const local = localPayload(size, usable);
  return Number.isNaN(size) ? undefined : cursor.at + local + (local < size ? 4 : 0);
}

import { readLeafCells, readPayload } from "../../src/salvage/btree/leaf-cells.js";
import { localPayload } from "../../src/salvage/btree/local-payload.js";
import { openPages } from "../../src/salvage/pages/page-file.js";
import { salvagePages } from "../../src/salvage/salvage-pages.js";

/** The pages that hold each message of an intact file: its leaf, then its overflow chain. */
export type MessagePages = ReadonlyMap<number, readonly number[]>;

/** Works out on which pages each message lies. The file must be intact and without a log. */
export function messagePages(file: Uint8Array): MessagePages {
  using pages = openPages({ main: file });
  if (!pages) throw new Error("no pages");
  const placed = new Map<number, readonly number[]>();
  for (const row of salvagePages(file, { tables: ["messages"] })) {
    const page = pages.page(row.page);
    const cell = page && readLeafCells(pages, row.page, page).cells.find(({ rowid }) => rowid === row.rowid);
    if (!page || !cell) throw new Error(`no cell for message ${row.rowid}`);
    if (readPayload(pages, page, cell).missing > 0) throw new Error(`message ${row.rowid} is not whole`);
    const chain = [row.page];
    let left = cell.size - localPayload(cell.size, pages.usable);
    let next = left > 0 ? page.readUInt32BE(cell.start + cell.size - left) : 0;
    for (; left > 0; left -= pages.usable - 4) {
      chain.push(next);
      next = pages.page(next)?.readUInt32BE(0) ?? 0;
    }
    placed.set(row.rowid, chain);
  }
  return placed;
}

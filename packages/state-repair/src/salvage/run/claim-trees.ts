import { readLeafCells, readPayload } from "../btree/leaf-cells.js";
import type { SubtreeVerdict, TreeLeaf } from "../btree/walk-table.js";
import { walkTable } from "../btree/walk-table.js";
import { parseCreateTable } from "../layout/parse-create-table.js";
import { decodeRecord } from "../records/decode-record.js";
import type { SchemaTable } from "./read-schema.js";
import type { SalvageRun } from "./salvage-run.js";

/** A record with more fields than its table has columns belongs to another table: the tree was led astray. */
function fits(run: SalvageRun, leaf: TreeLeaf, columns: number): boolean {
  const [cell] = readLeafCells(run.pages, leaf.page, leaf.bytes).cells;
  const record = cell && decodeRecord(readPayload(run.pages, leaf.bytes, cell), run.encoding);
  return cell === undefined || (record !== undefined && record.values.length <= columns);
}

/** Marks the pages of tables that salvage does not read, so that their rows are not taken for somebody else's. */
export function claimTrees(run: SalvageRun, tables: readonly SchemaTable[]): void {
  for (const { root, sql } of tables) {
    const columns = parseCreateTable(sql)?.columns.length ?? 0;
    const walk = walkTable(
      {
        pages: run.pages,
        ledger: run.ledger,
        // eslint-disable-next-line require-yield -- the walk wants a generator; here only its verdict counts
        readLeaf: function* (leaf): Generator<never, SubtreeVerdict> {
          run.onPages(1);
          const own = fits(run, leaf, columns);
          return { clean: own, first: own ? 0 : Infinity, last: own ? 0 : -Infinity };
        },
        onCovered: () => undefined,
        onProblem: () => undefined,
      },
      root,
    );
    while (walk.next().done !== true);
  }
}

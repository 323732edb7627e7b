import { type SubtreeVerdict, type TreeLeaf, walkTable } from "../btree/walk-table.js";
import { CoveredKeys } from "../btree/covered-keys.js";
import { chooseLayout, layoutCost } from "../layout/choose-layout.js";
import { schemaLayout } from "../layout/schema-layout.js";
import { SENTINELS } from "../layout/sentinels.js";
import { modelOf, nameFields, type TableLayout } from "../layout/table-layout.js";
import type { SalvagedRow } from "../salvaged-row.js";
import { type LeafRecord, type LeafRecords, readLeafRecords } from "./read-leaf-records.js";
import type { SchemaTable } from "./read-schema.js";
import type { SalvageRun } from "./salvage-run.js";
import type { TableTally } from "./salvage-tally.js";

/** The layout in use for a table's tree; it changes once when the schema's text turns out to be wrong. */
export interface TreeLayout {
  current: TableLayout;
  /** False when the layout is not what the file's schema says. */
  exact: boolean;
  /** False while the rows decide between this layout and the known ones. */
  readonly trusted: boolean;
  /** Leaf pages that are not as they should be. */
  readonly waiting: number[];
}

/** Names a record as a row of a table; `damaged` by column. */
export function toRow(
  layout: TableLayout,
  record: LeafRecord,
  place: Pick<SalvagedRow, "page" | "origin">,
): SalvagedRow {
  return {
    table: layout.table,
    rowid: record.rowid,
    ...place,
    layout: layout.origin,
    values: nameFields(layout, record.values, record.rowid),
    damaged: record.damaged.flatMap((at) => layout.columns[at] ?? []),
    certain: place.origin === "tree" && !record.cut,
  };
}

function acceptedRows(layout: TableLayout, records: readonly LeafRecord[], page: number): readonly SalvagedRow[] {
  const accepts = SENTINELS[layout.table]?.inTree;
  const rows = records
    .filter(({ values }) => values.length <= layout.columns.length)
    .map((record) => toRow(layout, record, { page, origin: "tree" }));
  return accepts ? rows.filter(({ values, damaged }) => accepts(values, damaged)) : rows;
}

/** Rows of the leaf under the layout in use, or under the one that its records show, when that fits none of them. */
function nameLeaf(tree: TreeLayout, records: readonly LeafRecord[], page: number): readonly SalvagedRow[] {
  const rows = acceptedRows(tree.current, records, page);
  if ((rows.length > 0 && tree.trusted) || records.length === 0) return rows;
  const model = modelOf(tree.current.table);
  const other = model && chooseLayout(model, records);
  if (!other) return rows;
  if (rows.length > 0 && layoutCost(model, other, records) >= layoutCost(model, tree.current, records)) return rows;
  tree.current = other;
  tree.exact = false;
  return acceptedRows(other, records, page);
}

/** True when every record of the page is a row of the table, whole, in order, and where the tree says it must be. */
function isClean(leaf: TreeLeaf, found: LeafRecords, rows: readonly SalvagedRow[]): boolean {
  if (!found.balanced || found.unreadable + found.misplaced > 0 || rows.length !== found.records.length) return false;
  const [first, last] = [rows[0], rows.at(-1)];
  const within = !first || !last || (first.rowid > leaf.low && last.rowid <= leaf.high);
  return within && !found.records.some(({ cut }) => cut);
}

function* giveOut(run: SalvageRun, tally: TableTally, rows: readonly SalvagedRow[]): Generator<SalvagedRow> {
  for (const row of rows) {
    if (row.table === "messages" && !isNew(run, tally, row.rowid)) continue;
    tally.count(row);
    yield row;
  }
}

/** A leaf that is not as the tree says waits until all others were read: their rows come first. */
function* readTreeLeaf(
  run: SalvageRun,
  tree: TreeLayout,
  tally: TableTally,
  leaf: TreeLeaf,
): Generator<SalvagedRow, SubtreeVerdict> {
  run.onPages(1);
  const found = readLeafRecords(run, leaf.page, leaf.bytes);
  const rows = nameLeaf(tree, found.records, leaf.page);
  const clean = isClean(leaf, found, rows);
  if (clean) {
    yield* giveOut(run, tally, rows);
  } else {
    tally.addProblem(`page ${leaf.page} is damaged`);
    tally.refused += found.unreadable + found.misplaced + found.records.length - rows.length;
    if (rows.length > 0) tree.waiting.push(leaf.page);
  }
  return { clean, first: rows[0]?.rowid ?? Infinity, last: rows.at(-1)?.rowid ?? -Infinity };
}

function* readWaiting(run: SalvageRun, tree: TreeLayout, tally: TableTally): Generator<SalvagedRow> {
  for (const number of tree.waiting) {
    const page = run.pages.page(number);
    const records = page ? readLeafRecords(run, number, page).records : [];
    const rows = acceptedRows(tree.current, records, number);
    yield* giveOut(
      run,
      tally,
      rows.map((row) => ({ ...row, certain: false })),
    );
  }
}

/** A message id is given out once; the row that came first is the one that counts. */
export function isNew(run: SalvageRun, tally: TableTally, id: number): boolean {
  if (run.seen.add(id)) return true;
  tally.duplicates += 1;
  return false;
}

/** The layout that the schema names for a table; the first known one when its text cannot be read. */
function startLayout(entry: SchemaTable): TreeLayout | undefined {
  const parsed = schemaLayout(entry.name, entry.sql);
  if (parsed) return { current: parsed.layout, exact: parsed.exact, trusted: parsed.known, waiting: [] };
  const model = modelOf(entry.name);
  const columns: readonly string[] = [];
  const current: TableLayout = { table: entry.name, origin: "history", columns, rowidColumn: undefined };
  return model && { current, exact: false, trusted: true, waiting: [] };
}

/**
 * Reads the rows of a table from its own tree.
 *
 * @returns The layout its rows had, and whether the whole tree was there and in order.
 */
export function* salvageTree(
  run: SalvageRun,
  entry: SchemaTable,
): Generator<SalvagedRow, { readonly layout: TableLayout | undefined; readonly sound: boolean }> {
  const tree = startLayout(entry);
  if (!tree) return { layout: undefined, sound: false };
  const tally = run.tally.of(entry.name);
  const covered = coveredOf(run, entry.name);
  const verdict = yield* walkTable(
    {
      pages: run.pages,
      ledger: run.ledger,
      readLeaf: function* (leaf) {
        const found = yield* readTreeLeaf(run, tree, tally, leaf);
        if (found.clean) covered.add(found.first, found.last);
        return found;
      },
      onCovered: (first, last) => {
        covered.add(first, last);
      },
      onProblem: (page, problem) => {
        tally.addProblem(`page ${page} ${problem}`);
      },
    },
    entry.root,
  );
  yield* readWaiting(run, tree, tally);
  const any = verdict.first <= verdict.last;
  return { layout: any ? tree.current : undefined, sound: verdict.clean && tree.exact };
}

/** The key ranges of a table that are accounted for. */
export function coveredOf(run: SalvageRun, table: string): CoveredKeys {
  let covered = run.covered.get(table);
  if (!covered) run.covered.set(table, (covered = new CoveredKeys()));
  return covered;
}

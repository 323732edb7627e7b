import { headerOffset, PAGE_KIND } from "../btree/page-shape.js";
import { chooseLayout, prefixLayout } from "../layout/choose-layout.js";
import { LengthSample } from "../layout/sample-by-length.js";
import { modelOf, type TableLayout } from "../layout/table-layout.js";
import type { SalvagedRow } from "../salvaged-row.js";
import { classifyRecord, looksLike, STRAY_TABLES } from "./classify-record.js";
import { type LeafRecord, readLeafRecords } from "./read-leaf-records.js";
import { coveredOf, isNew, toRow } from "./salvage-tree.js";
import type { SalvageRun } from "./salvage-run.js";

const SAMPLE_PAGES = 3000;
/** Rows of one count of fields. */
const SAMPLE_ROWS = 50;

/** The layouts by which rows of pages without an owner are recognised. */
export type StrayLayouts = ReadonlyMap<string, TableLayout>;

/** The leaf page of a table that no tree refers to, when `number` is one. */
function strayLeaf(run: SalvageRun, number: number, freed: boolean): Buffer | undefined {
  if (run.ledger.isTaken(number) || run.ledger.isFree(number) !== freed) return undefined;
  const page = run.pages.page(number);
  return page?.readUInt8(headerOffset(number)) === PAGE_KIND.tableLeaf ? page : undefined;
}

function sampleRecords(run: SalvageRun, table: string): readonly LeafRecord[] {
  const stride = Math.max(1, Math.floor(run.pages.pageCount / SAMPLE_PAGES));
  const samples = new LengthSample<LeafRecord>(SAMPLE_ROWS);
  for (let number = 1; number <= run.pages.pageCount; number += stride) {
    const page = strayLeaf(run, number, false);
    if (!page) continue;
    for (const record of readLeafRecords(run, number, page).records) {
      if (looksLike(table, record)) samples.add(record.values.length, record);
    }
  }
  return samples.items;
}

/**
 * Settles the layout of each table for rows without an owner: the one its tree had, otherwise the one that most of the
 * stray rows show, otherwise only the first columns.
 */
export function strayLayouts(run: SalvageRun, known: StrayLayouts): StrayLayouts {
  const layouts = new Map(known);
  for (const table of STRAY_TABLES) {
    const model = modelOf(table);
    if (layouts.has(table) || !model) continue;
    const samples = sampleRecords(run, table);
    if (samples.length > 0) layouts.set(table, chooseLayout(model, samples) ?? prefixLayout(model));
  }
  return layouts;
}

function* strayRows(
  run: SalvageRun,
  layouts: StrayLayouts,
  number: number,
  page: Buffer,
  origin: "page" | "freed",
): Generator<SalvagedRow> {
  for (const record of readLeafRecords(run, number, page).records) {
    const layout = classifyRecord(layouts, record);
    if (!layout) {
      run.tally.unmapped += 1;
      continue;
    }
    const tally = run.tally.of(layout.table);
    const row = toRow(layout, record, { page: number, origin });
    if (origin === "page" && coveredOf(run, layout.table).has(record.rowid)) tally.superseded += 1;
    else if (layout.table !== "messages" || isNew(run, tally, record.rowid)) {
      tally.count(row);
      yield row;
    }
  }
}

/**
 * Reads rows from leaf pages that no walked tree owns: those whose parents are lost, in page order.
 *
 * @param freed - Reads the pages of the freelist instead: rows that were deleted.
 */
export function* salvageStrayPages(run: SalvageRun, layouts: StrayLayouts, freed = false): Generator<SalvagedRow> {
  for (let number = 1; number <= run.pages.pageCount; number += 1) {
    run.onPages(1);
    const page = strayLeaf(run, number, freed);
    if (page) yield* strayRows(run, layouts, number, page, freed ? "freed" : "page");
  }
}

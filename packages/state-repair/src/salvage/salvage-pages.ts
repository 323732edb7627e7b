import { checkKnownOptions, openOfflineScope, throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { TABLES } from "@hermes/state-schema";
import { CoveredKeys } from "./btree/covered-keys.js";
import { modelOf, type TableLayout } from "./layout/table-layout.js";
import { type FreelistReport, markFreelist, markTrunksByForm } from "./pages/freelist.js";
import { linksHold } from "./pages/links-hold.js";
import { openPages, type PageFile } from "./pages/page-file.js";
import { PageLedger } from "./pages/page-ledger.js";
import { claimTrees } from "./run/claim-trees.js";
import { inferEncoding } from "./run/infer-encoding.js";
import { type FileSchema, readSchema, type SchemaTable } from "./run/read-schema.js";
import type { SalvageRun } from "./run/salvage-run.js";
import { salvageStrayPages, strayLayouts } from "./run/salvage-stray-pages.js";
import { SalvageTally } from "./run/salvage-tally.js";
import { salvageTree } from "./run/salvage-tree.js";
import { SeenIds } from "./run/seen-ids.js";
import type { SalvagedRow } from "./salvaged-row.js";
import type { SalvageReport } from "./salvage-report.js";

/** How to read the pages of a damaged file. */
export interface SalvageOptions extends ProgressOptions {
  /** Bytes of the write-ahead log, when `source` is bytes; beside a path it is found by its name. */
  readonly wal?: Uint8Array | undefined;
  /** Also gives out rows of free pages, which were deleted. Default false. */
  readonly includeFreed?: boolean | undefined;
  /** Only these tables. Default: every table this stack knows. */
  readonly tables?: readonly string[] | undefined;
  /** Called with what was found, once all rows have been given out. */
  readonly onReport?: ((report: SalvageReport) => void) | undefined;
}

const OPTION_NAMES = ["wal", "includeFreed", "tables", "onReport", "onProgress", "signal"] as const;
const PAGES_PER_STEP = 2048;

/** Progress is reported, and the signal looked at, once for so many pages. */
function pageCounter(total: number, { onProgress, signal }: SalvageOptions): (count: number) => void {
  let done = 0;
  let next = PAGES_PER_STEP;
  return (count) => {
    done += count;
    if (done < next) return;
    next += PAGES_PER_STEP;
    throwIfAborted(signal);
    onProgress?.({ phase: "pages", done, total: Math.max(done, total) });
  };
}

function startRun(pages: PageFile, options: SalvageOptions): SalvageRun {
  return {
    pages,
    encoding: inferEncoding(pages),
    ledger: new PageLedger(pages.pageCount),
    tally: new SalvageTally(),
    covered: new Map<string, CoveredKeys>(),
    seen: new SeenIds(),
    onPages: pageCounter(pages.pageCount, options),
  };
}

interface TreesRead {
  readonly layouts: ReadonlyMap<string, TableLayout>;
  readonly allSound: boolean;
}

/** Tables in the order of the model: what others refer to comes first. */
function inOrder(schema: FileSchema, wanted: (table: string) => boolean): readonly SchemaTable[] {
  const order = Object.keys(TABLES);
  const known = schema.tables.filter(({ name }) => modelOf(name) !== undefined && wanted(name));
  return [...known].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

function* salvageTrees(run: SalvageRun, entries: readonly SchemaTable[]): Generator<SalvagedRow, TreesRead> {
  const layouts = new Map<string, TableLayout>();
  let allSound = true;
  for (const entry of entries) {
    const { layout, sound } = yield* salvageTree(run, entry);
    const tally = run.tally.of(entry.name);
    tally.sound = sound && entries.filter(({ name }) => name === entry.name).length === 1;
    allSound &&= tally.sound;
    if (layout) layouts.set(entry.name, layout);
  }
  return { layouts, allSound };
}

const CORE = ["sessions", "messages"];

function* salvageRun(run: SalvageRun, options: SalvageOptions): Generator<SalvagedRow, SalvageReport> {
  const freelist = markFreelist(run.pages, run.ledger);
  const schema = readSchema(run);
  const { tables } = options;
  const wanted = (name: string): boolean => tables === undefined || tables.includes(name);
  const entries = inOrder(schema, wanted);
  const { layouts, allSound } = yield* salvageTrees(run, entries);
  const known = CORE.every((name) => !wanted(name) || entries.some((entry) => entry.name === name));
  if (!allSound || !known || !schema.complete) {
    claimTrees(
      run,
      schema.tables.filter((table) => !entries.includes(table)),
    );
    if (!freelist.complete && linksHold(run.pages)) markTrunksByForm(run.pages, run.ledger);
    for (const row of salvageStrayPages(run, strayLayouts(run, layouts))) if (wanted(row.table)) yield row;
  }
  if (options.includeFreed === true) {
    for (const row of salvageStrayPages(run, strayLayouts(run, layouts), true)) if (wanted(row.table)) yield row;
  }
  return reportOf(run, schema, freelist);
}

function reportOf(run: SalvageRun, schema: FileSchema, freelist: FreelistReport): SalvageReport {
  const { pages, encoding, tally } = run;
  return {
    pageSize: pages.pageSize,
    pageCount: pages.pageCount,
    encoding,
    headerSound: pages.geometryDeclared && pages.header.encoding === encoding,
    schemaRead: schema.complete,
    freelistPages: freelist.pages,
    freelistComplete: freelist.complete,
    walPages: pages.walPages,
    unmapped: tally.unmapped,
    tables: tally.report(),
  };
}

/**
 * Reads the rows of a database from its pages, without SQLite: header, schema and trees may all be damaged. Rows come
 * in a fixed order, those of intact trees first, so that the first of two rows with one id is the better one. Memory
 * does not grow with the file.
 *
 * @param source - Path of the file, which no connection of this process may have open, or its bytes.
 * @example
 * ```ts
 * for (const row of salvagePages("damaged.db")) if (row.table === "messages") keep(row.values);
 * ```
 * @throws STATE_E_LIVE_CONNECTION when this process has the file open; the signal's reason when it is aborted.
 * Source of the rule: REP-09.
 */
export function* salvagePages(source: string | Uint8Array, options: SalvageOptions = {}): Generator<SalvagedRow> {
  checkKnownOptions("salvagePages", options, OPTION_NAMES);
  using scope = typeof source === "string" ? openOfflineScope(source) : undefined;
  using pages = openPages({ main: scope?.path ?? source, wal: options.wal });
  if (!pages) {
    options.onReport?.(NOTHING);
    return;
  }
  const report = yield* salvageRun(startRun(pages, options), options);
  options.onReport?.(report);
}

/** What is reported of bytes in which no page of a database can be found. */
const NOTHING: SalvageReport = {
  pageSize: 0,
  pageCount: 0,
  encoding: "utf8",
  headerSound: false,
  schemaRead: false,
  freelistPages: 0,
  freelistComplete: false,
  walPages: 0,
  unmapped: 0,
  tables: {},
};

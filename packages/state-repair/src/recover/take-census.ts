import { TABLES } from "@hermes/state-schema";
import type { SalvageReport } from "../salvage/salvage-report.js";
import { salvagePages } from "../salvage/salvage-pages.js";
import type { Steps } from "../steps/run-steps.js";
import type { InspectedTable } from "./recovery-report.js";
import type { CopyTable, SettledCopy } from "./settle-copy.js";

/** What the pages of the copy say about its tables, before anything is believed of what SQLite reads. */
export interface Census {
  readonly salvage: SalvageReport;
  readonly inspected: Readonly<Record<string, InspectedTable>>;
}

const ROWS_PER_STEP = 2000;
const NO_REPORT: Partial<SalvageReport> = {};

/** Reads every row of the copy once, page by page. */
function* countRows(copy: string): Steps<SalvageReport> {
  const seen: { report: Partial<SalvageReport> } = { report: NO_REPORT };
  let rows = 0;
  const onReport = (report: SalvageReport): void => {
    seen.report = report;
  };
  for (const row of salvagePages(copy, { onReport })) {
    rows += 1;
    if (rows % ROWS_PER_STEP === 0) yield { phase: `look at ${row.table}`, done: rows, total: undefined };
  }
  return seen.report as SalvageReport;
}

/** A table is sound when its tree is whole and SQLite reads it under the header and the columns its pages have. */
function inspectTable(name: string, salvage: SalvageReport, table: CopyTable | undefined): InspectedTable {
  const found = salvage.tables[name];
  const rows = found === undefined ? 0 : found.tree + found.page;
  const sound = found?.sound === true && salvage.headerSound && table !== undefined;
  const [problem] = found?.problems ?? [];
  const available = table !== undefined || found !== undefined;
  const base = { available, columns: table?.columns.length ?? 0, rows, sound };
  return sound || problem === undefined ? base : { ...base, error: problem };
}

/** Takes the census of the copy. */
export function* takeCensus(copy: string, settled: SettledCopy): Steps<Census> {
  const salvage = yield* countRows(copy);
  const inspected: Record<string, InspectedTable> = {};
  for (const name of Object.keys(TABLES)) {
    const table = inspectTable(name, salvage, settled.tables?.get(name));
    if (table.available || TABLES[name as keyof typeof TABLES].presence === "always") inspected[name] = table;
  }
  return { salvage, inspected };
}

import { TABLES } from "@hermes/state-schema";
import type { CopiedTables } from "./copy-tables.js";
import type { CopyResult } from "./copy-table.js";
import type { FilledTable, FillResult } from "./fill-from-pages.js";
import type { InspectedTable, TableRecovery } from "./recovery-report.js";

const NOTHING: CopyResult["skipped"] = { ranges: [], span: 0 } as unknown as CopyResult["skipped"];
const NOT_COPIED: CopyResult = {
  copiedRows: 0,
  excludedRows: 0,
  rangeQueries: 0,
  exactLookupRecovered: 0,
  skipped: NOTHING,
  queryLimitReached: false,
};

function statusOf(
  copied: CopyResult | undefined,
  filled: FilledTable | undefined,
  inspected: InspectedTable | undefined,
): TableRecovery["status"] {
  const rows = (copied?.copiedRows ?? 0) + (filled?.added ?? 0);
  if (inspected?.available === false) return "missing";
  const lost = copied === undefined || copied.skipped.span > 0 || copied.excludedRows > 0;
  if (!lost && inspected?.sound !== false) return "complete";
  return rows === 0 && (copied === undefined || copied.skipped.span > 0) ? "failed" : "partial";
}

function tableResult(
  outcome: CopyResult | string | undefined,
  filled: FilledTable | undefined,
  inspected: InspectedTable | undefined,
): TableRecovery {
  const copied = typeof outcome === "object" ? outcome : undefined;
  const { copiedRows, excludedRows, rangeQueries, exactLookupRecovered, skipped, queryLimitReached } =
    copied ?? NOT_COPIED;
  return {
    status: statusOf(copied, filled, inspected),
    copiedRows,
    excludedRows,
    rangeQueries,
    exactLookupRecovered,
    skippedRowidRanges: skipped.ranges,
    skippedRowidSpan: skipped.span,
    queryLimitReached,
    salvagedRows: filled?.added ?? 0,
    partialRows: filled?.partial ?? 0,
    unrecognizedLayoutRows: filled?.unrecognized ?? 0,
    error: typeof outcome === "string" ? outcome : inspected?.error,
  };
}

/** Puts together what each table came to. */
export function tableResults(
  copied: CopiedTables,
  fill: FillResult | undefined,
  inspected: Readonly<Record<string, InspectedTable>>,
): Readonly<Record<string, TableRecovery>> {
  const names = new Set([...Object.keys(inspected), ...copied.keys(), ...(fill?.tables.keys() ?? [])]);
  names.delete(TABLES.schema_version.name);
  return Object.fromEntries(
    [...names].map((name) => [name, tableResult(copied.get(name), fill?.tables.get(name), inspected[name])]),
  );
}

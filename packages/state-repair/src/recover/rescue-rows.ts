import type { MaintenanceConnection } from "@hermes/state-core";
import type { Steps } from "../steps/run-steps.js";
import { type CopiedTables, copyTables } from "./copy-tables.js";
import { fillFromPages, type FillResult } from "./fill-from-pages.js";
import { mendOutput } from "./mend-output.js";
import type { RecoverPlan } from "./recover-options.js";
import type { RecoveryMends } from "./recovery-report.js";
import type { SettledCopy } from "./settle-copy.js";
import type { Census } from "./take-census.js";

/** The copy of the source, and what it turned out to hold. */
export interface Examined {
  readonly copy: string;
  readonly settled: SettledCopy;
  readonly census: Census;
}

/** What was brought into the output, and how. */
export interface Rescued {
  readonly copied: CopiedTables;
  readonly fill: FillResult | undefined;
  /** Rows came from pages. */
  readonly bestEffort: boolean;
  readonly mends: RecoveryMends;
}

const CORE: readonly string[] = ["sessions", "messages"];
const NONE: CopiedTables = new Map();

/** Tables that SQLite alone does not give back whole: their pages are read too. */
function unwholeTables({ census }: Examined, copied: CopiedTables): readonly string[] {
  return Object.entries(census.inspected).flatMap(([name, { available, sound, rows }]) => {
    if (!available && !CORE.includes(name)) return [];
    const result = copied.get(name);
    if (!sound || typeof result !== "object" || result.skipped.span > 0) return [name];
    // Rows of the meta table that belong to the file's own index stay behind on purpose.
    return name === "state_meta" || result.copiedRows + result.excludedRows >= rows ? [] : [name];
  });
}

/** With a damaged header the engine would read every page in the wrong places. */
function* copyThroughEngine(output: MaintenanceConnection, examined: Examined, chunk: number): Steps<CopiedTables> {
  const { copy, settled, census } = examined;
  if (settled.tables === undefined || !census.salvage.headerSound) return NONE;
  return yield* copyTables(output, copy, settled.tables, census.inspected, chunk);
}

function changedAnything({ tables }: FillResult): boolean {
  return [...tables.values()].some(({ added, corrected }) => added + corrected > 0);
}

/** Brings into the output what SQLite reads, then what only the pages give, then makes it consistent. */
export function* rescueRows(output: MaintenanceConnection, examined: Examined, plan: RecoverPlan): Steps<Rescued> {
  const copied = yield* copyThroughEngine(output, examined, plan.chunkSize);
  const unwhole = plan.allowPartial ? unwholeTables(examined, copied) : [];
  const fill = unwhole.length > 0 ? yield* fillFromPages(output, examined.copy, unwhole, plan.chunkSize) : undefined;
  const bestEffort = fill !== undefined && changedAnything(fill);
  return { copied, fill, bestEffort, mends: mendOutput(output, bestEffort) };
}

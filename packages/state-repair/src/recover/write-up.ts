import type { RecoverPlan } from "./recover-options.js";
import type { PartialRow, RecoveryMends, RecoveryReport, RecoverySpace, TableRecovery } from "./recovery-report.js";
import type { SettledCopy } from "./settle-copy.js";
import type { SourceCopy } from "./take-copy.js";
import type { Census } from "./take-census.js";
import type { OutputVerdict } from "./verify-output.js";

/** What one run found out, as far as it came. */
export interface RecoveryFacts {
  readonly plan: RecoverPlan;
  readonly space: readonly RecoverySpace[];
  readonly source: SourceCopy;
  readonly settled: SettledCopy;
  readonly census: Census;
  readonly tables: Readonly<Record<string, TableRecovery>>;
  readonly mends: RecoveryMends | undefined;
  readonly partialRows: readonly PartialRow[];
  readonly bestEffort: boolean;
  readonly verdict: OutputVerdict | undefined;
  readonly sourceUnchanged: boolean;
}

const NO_MENDS: RecoveryMends = {
  placeholderSessions: 0,
  placeholderMessages: 0,
  clearedParents: 0,
  clearedPrompts: 0,
  replacedModelConfigs: 0,
  removedPrompts: 0,
  removedOrphans: 0,
};

/** Sessions and messages are whole, and SQLite can read them. */
export function isRecoverable({ settled, census }: Pick<RecoveryFacts, "settled" | "census">): boolean {
  return (
    settled.tables !== undefined && ["sessions", "messages"].every((name) => census.inspected[name]?.sound === true)
  );
}

/** True when something of the source is not in the output. */
export function hasLoss({ tables, bestEffort }: Pick<RecoveryFacts, "tables" | "bestEffort">): boolean {
  return bestEffort || Object.values(tables).some(({ status }) => status === "partial" || status === "failed");
}

/** No table and no row of either kind: whatever the source is, it is not a damaged store. */
function isNoStore({ census }: RecoveryFacts): boolean {
  return ["sessions", "messages"].every((name) => census.inspected[name]?.available !== true);
}

function statusOf(facts: RecoveryFacts, errors: readonly string[]): RecoveryReport["status"] {
  if (facts.plan.output === undefined) {
    if (isRecoverable(facts)) return "complete";
    return (facts.census.salvage.tables["messages"]?.tree ?? 0) + stray(facts) > 0 ? "partial" : "failed";
  }
  if (errors.length > 0) return "failed";
  return hasLoss(facts) ? "partial" : "complete";
}

function stray({ census }: RecoveryFacts): number {
  return census.salvage.tables["messages"]?.page ?? 0;
}

function errorsOf(facts: RecoveryFacts): readonly string[] {
  const errors = [...(facts.verdict?.errors ?? [])];
  if (!facts.sourceUnchanged) errors.push("the source changed while it was recovered: stop the program that uses it");
  if (isNoStore(facts)) errors.push("nothing of a store of conversations was found in the source");
  const { output, allowPartial } = facts.plan;
  if (output === undefined || allowPartial) return errors;
  if (!isRecoverable(facts) || (facts.verdict !== undefined && hasLoss(facts)))
    errors.push("not everything can be read: recover again with --allow-partial to keep what can");
  return errors;
}

function warningsOf(facts: RecoveryFacts): readonly string[] {
  const { settled, census, mends } = facts;
  const warnings = [...(facts.verdict?.warnings ?? [])];
  if (settled.error !== undefined) warnings.push(`SQLite cannot read the schema: ${settled.error}`);
  if (!census.salvage.headerSound) warnings.push("the header of the file is damaged");
  if (facts.bestEffort && !census.salvage.freelistComplete)
    warnings.push("free pages could not all be told from pages in use: deleted rows may be among the recovered ones");
  if (mends && mends.placeholderSessions > 0)
    warnings.push(
      `${mends.placeholderMessages} messages had no session: ${mends.placeholderSessions} were made for them`,
    );
  return warnings;
}

/** Puts the report together. */
export function recoveryReport(facts: RecoveryFacts): RecoveryReport {
  const { plan, source, settled, census } = facts;
  const errors = errorsOf(facts);
  return {
    operation: plan.output === undefined ? "inspect" : "recover",
    source: plan.source,
    output: plan.output,
    reportPath: plan.reportPath,
    installed: false,
    status: statusOf(facts, errors),
    recoverable: isRecoverable(facts),
    verified: facts.verdict !== undefined && errors.length === 0,
    bestEffort: facts.bestEffort,
    sourceBundle: source.parts.map(({ path, bytes, modifiedMs }) => ({ name: path, bytes, modifiedMs })),
    sourceFingerprint: source.fingerprint,
    sourceUnchanged: facts.sourceUnchanged,
    diskSpace: facts.space,
    journalMode: settled.journalMode,
    schemaVersion: settled.schemaVersion,
    inspected: census.inspected,
    tables: facts.tables,
    mends: facts.mends ?? NO_MENDS,
    partialRows: facts.partialRows,
    counts: facts.verdict?.counts ?? {},
    errors,
    warnings: warningsOf(facts),
  };
}

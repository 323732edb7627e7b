import type { Change, PlannedStep, RepairPlan, RepairReport } from "@hermes/state-repair";
import type { Output } from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";

/** What each strategy means, for people who have never heard of it. */
const STRATEGY_WORDS: Readonly<Record<PlannedStep["strategy"], string>> = {
  rebuild_fts: "fill the search indexes again from the messages",
  reindex_btree: "build damaged indexes again in their place",
  recreate_index: "put damaged indexes aside and make them again",
  dedup_schema: "remove doubled and broken entries of the schema",
  drop_fts_rebuild: "put the search indexes aside and make them again",
  reclaim_pages: "write the file anew without lost pages",
};

const SHOWN = ["sessions", "messages"];

function rowsLine(rows: Readonly<Record<string, number>>): string {
  const counted = SHOWN.filter((name) => name in rows).map((name) => `${rows[name] ?? 0} ${name}`);
  const others = Object.entries(rows).filter(([name, count]) => !SHOWN.includes(name) && count > 0);
  const sum = others.reduce((total, [, count]) => total + count, 0);
  return [...counted, ...(sum > 0 ? [`${sum} rows of ${others.length} other tables`] : [])].join(", ");
}

function changeLine({ kind, object, detail }: Change): string {
  return `    ${kind}  ${sanitizeLine(object)}: ${sanitizeLine(detail)}`;
}

function stepLines({ strategy, changes, compacts }: PlannedStep, index: number): string[] {
  const then = compacts ? ", then write the file anew" : "";
  return [`  ${index + 1}. ${STRATEGY_WORDS[strategy]}${then}  (${strategy})`, ...changes.map(changeLine)];
}

function foundLines({ findings }: Pick<RepairPlan, "findings">): string[] {
  const seen = findings.filter(({ severity }) => severity !== "note");
  return seen.map(({ code, object, detail }) => `  ${code}  ${sanitizeLine(object)}: ${sanitizeLine(detail)}`);
}

/** A plan in plain words: what was found, what is kept, changed and lost, and the next action (REP-12). */
export function planText(output: Output, plan: RepairPlan): string {
  const { green, yellow, red } = output.colors;
  const color = { healthy: green, repair: yellow, recover: red, blocked: red }[plan.outcome];
  const lines = [`${color(plan.outcome)}  ${plan.path}`, ...section("Found:", foundLines(plan))];
  if (plan.kept) {
    lines.push(`Kept, every cell proven unchanged: ${rowsLine(plan.kept)}.`);
  } else if (plan.outcome !== "healthy") {
    lines.push("Kept: the rows could not be read, so a repair would touch nothing.");
  }
  lines.push(...section("Changed, on a copy first:", (plan.strategies ?? []).flatMap(stepLines)));
  if (plan.outcome === "repair") lines.push(...lostLines(plan.lost));
  if (plan.outcome === "recover") lines.push(...section("Why not:", plan.reasons.map(indented)));
  if (plan.outcome === "blocked") lines.push(...section("In the way:", plan.blockedBy.map(indented)));
  lines.push(`Next: ${plan.nextAction}`);
  return lines.join("\n");
}

function lostLines(lost: readonly string[]): string[] {
  return lost.length === 0 ? ["Lost: nothing."] : section("Lost:", lost.map(indented));
}

function indented(text: string): string {
  return `  ${sanitizeLine(text)}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** What a repair came to. */
export function reportText(output: Output, report: RepairReport): string {
  const { green, red } = output.colors;
  if (!report.repaired) return `${red("not repaired")}  ${report.path}\n${sanitizeLine(report.error ?? "")}`;
  const lines = [`${green("repaired")}  ${report.path}  (${report.strategy ?? ""})`];
  if (report.strategy === "already_healthy") lines[0] = `${green("healthy")}  ${report.path}: nothing to repair.`;
  lines.push(...report.changes.map(changeLine));
  if (report.rows) lines.push(`Kept, every cell proven unchanged: ${rowsLine(report.rows)}.`);
  if (report.backupPath !== null) lines.push(`The damaged files are kept at ${report.backupPath}.`);
  lines.push(...report.warnings.map((text) => `note: ${sanitizeLine(text)}`));
  return lines.join("\n");
}

import { StateError } from "@hermes/state-core";
import type { DoctorFix, DoctorLine, DoctorReport } from "@hermes/state-repair";
import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { refuseMissing } from "../store/refuse-missing.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `doctor`. */
export interface DoctorVerbOptions {
  readonly fix?: boolean;
}

function refuseFix({ options }: VerbContext, fix: boolean): void {
  if (!fix || options.readonly !== true) return;
  const message = "Fixing writes, and --readonly forbids it. Leave one of the two out.";
  throw new StateError("STATE_E_READONLY", message, { path: locateStore(options).path });
}

function lineText(output: Output, { level, text, action }: DoctorLine): string {
  const { green, dim, yellow, red } = output.colors;
  const color = { ok: green, note: dim, warning: yellow, problem: red }[level];
  const what = `  ${color(level.padEnd(7))}  ${sanitizeLine(text)}`;
  const worth = action !== null && (level === "warning" || level === "problem");
  return worth ? `${what}\n           ${sanitizeLine(action)}` : what;
}

function fixText(output: Output, { outcome, text }: DoctorFix): string {
  const { green, yellow, red } = output.colors;
  const color = { done: green, refused: yellow, failed: red }[outcome];
  return `  ${color(outcome.padEnd(7))}  ${sanitizeLine(text)}`;
}

function reportText(output: Output, report: DoctorReport): string {
  const lines = [report.path, ...report.lines.map((line) => lineText(output, line))];
  if (report.fixes.length > 0) lines.push("fixes", ...report.fixes.map((fix) => fixText(output, fix)));
  lines.push(`The store is ${report.exists ? report.verdict : "not there yet"}.`);
  return lines.join("\n");
}

function exitOf({ verdict, lines, fixes }: DoctorReport): ExitCode {
  const left = fixes.length > 0 ? fixes.some(({ outcome }) => outcome !== "done") : lines.some(isProblem);
  return verdict === "healthy" && !left ? EXIT.done : EXIT.failed;
}

const isProblem = ({ level }: DoctorLine): boolean => level === "problem";

/** Tells how the store is and what to do; with `--fix` does what is safe. Exit 0 when nothing is wrong (any more). */
export const doctor: Verb<DoctorVerbOptions> = async (context, { fix = false }) => {
  const { output, signal } = context;
  refuseFix(context, fix);
  const { doctor: examine } = await import("@hermes/state-repair");
  const location = locateStore(context.options);
  context.handleInterrupts();
  const report = await withProgress(output, "Examining", (onProgress) =>
    examine(location.path, { fix, onProgress, signal }),
  );
  if (!report.exists) refuseMissing(location);
  await writeDocument(output, report, () => reportText(output, report));
  return exitOf(report);
};

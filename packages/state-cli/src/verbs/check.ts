import type { CheckFinding, CheckLevel, CheckReport } from "@hermes/state-repair";
import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { refuseMissing } from "../store/refuse-missing.js";
import type { Verb } from "../verb.js";

/** Options of `check`. */
export interface CheckVerbOptions {
  readonly level?: CheckLevel;
}

const EXIT_OF: Readonly<Record<CheckReport["verdict"], ExitCode>> = {
  healthy: EXIT.done,
  damaged: EXIT.failed,
  unknown: EXIT.usage,
};

/** One finding, and what to do about it. */
function findingLines(output: Output, { severity, code, object, detail, action }: CheckFinding): string[] {
  const { red, yellow, dim } = output.colors;
  const color = { damage: red, rebuild: yellow, note: dim }[severity];
  const what = `  ${color(severity.padEnd(7))}  ${code}  ${sanitizeLine(object)}: ${sanitizeLine(detail)}`;
  return severity === "note" ? [what] : [what, `           ${sanitizeLine(action)}`];
}

function reportText(output: Output, report: CheckReport): string {
  if (!report.exists) return `There is no store at ${report.path} yet: nothing to check.`;
  const { green, red, yellow } = output.colors;
  const color = { healthy: green, damaged: red, unknown: yellow }[report.verdict];
  const lines = [`${color(report.verdict)}  ${report.path}  (level ${report.level})`];
  lines.push(...report.findings.flatMap((found) => findingLines(output, found)));
  if (report.notChecked.length > 0) lines.push(`Not looked at: ${report.notChecked.map(sanitizeLine).join("; ")}.`);
  return lines.join("\n");
}

/** Checks the store's health without changing a byte: exit 0 healthy, 1 damaged, 2 cannot tell (REP-01). */
export const check: Verb<CheckVerbOptions> = async (context, { level = "quick" }) => {
  const { output, options, signal } = context;
  const { checkStore } = await import("@hermes/state-repair");
  const location = locateStore(options);
  context.handleInterrupts();
  const report = await withProgress(output, "Checking", (onProgress) =>
    checkStore(location.path, { level, onProgress, signal }),
  );
  if (!report.exists) refuseMissing(location);
  await writeDocument(output, report, () => reportText(output, report));
  return EXIT_OF[report.verdict];
};

import { nothingToCheck, quickCheck, unopenable } from "../check/quick-check.js";
import type { CheckFinding, CheckReport } from "../check/check-report.js";
import { describeError } from "../errors/describe-error.js";
import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { openForReading } from "../store/open-store.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `check`. */
export interface CheckOptions {
  readonly level?: string;
}

const EXIT_OF: Readonly<Record<CheckReport["verdict"], ExitCode>> = {
  healthy: EXIT.done,
  damaged: EXIT.failed,
  unknown: EXIT.usage,
};

function run(context: VerbContext): CheckReport {
  const { path } = locateStore(context.options);
  try {
    using store = openForReading(context);
    return store ? { ...quickCheck(store), path } : nothingToCheck(path);
  } catch (error) {
    const { code, message } = describeError(error);
    // Not knowing the file, or the command itself being broken, is no answer about a store.
    if (["STATE_E_STORE_MISSING", "STATE_E_DRIVER_UNAVAILABLE", "STATE_E_UNEXPECTED", "STATE_E_USAGE"].includes(code))
      throw error;
    return unopenable(path, { code, message });
  }
}

function findingLine(output: Output, finding: CheckFinding): string {
  const mark = finding.severity === "damage" ? output.colors.red("damage") : output.colors.yellow("note  ");
  return `  ${mark}  ${finding.code}  ${sanitizeLine(finding.object)}: ${sanitizeLine(finding.detail)}`;
}

function reportText(output: Output, report: CheckReport): string {
  if (!report.exists) return `There is no store at ${report.path} yet: nothing to check.`;
  const { green, red, yellow } = output.colors;
  const color = { healthy: green, damaged: red, unknown: yellow }[report.verdict];
  const lines = [`${color(report.verdict)}  ${report.path}  (level ${report.level})`];
  lines.push(...report.findings.map((finding) => findingLine(output, finding)));
  lines.push(`Not looked at: ${report.notChecked.join("; ")}.`);
  return lines.join("\n");
}

/** Checks the store's health without changing a byte: exit 0 healthy, 1 damaged, 2 cannot tell. */
export const check: Verb<CheckOptions> = async (context) => {
  const report = run(context);
  await writeDocument(context.output, report, () => reportText(context.output, report));
  return EXIT_OF[report.verdict];
};

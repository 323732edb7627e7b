import type { RecoveryReport, TableRecovery } from "@hermes/state-repair";
import { describeError } from "../errors/describe-error.js";
import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `recover`. */
export interface RecoverVerbOptions {
  readonly source: string;
  readonly output?: string;
  readonly inspectOnly?: boolean;
  readonly allowPartial?: boolean;
  readonly workDir?: string;
  readonly report?: string;
  readonly chunkSize?: number;
}

function checkLine({ output, inspectOnly, allowPartial }: RecoverVerbOptions): void {
  if (inspectOnly === true && (output !== undefined || allowPartial === true))
    throw new UsageError("--inspect-only writes nothing: leave --output and --allow-partial out.");
  if (inspectOnly !== true && output === undefined)
    throw new UsageError("Name the new file with --output, or look only, with --inspect-only.");
}

async function run(context: VerbContext, options: RecoverVerbOptions): Promise<RecoveryReport> {
  const { recoverStore } = await import("@hermes/state-repair");
  const { source, output, inspectOnly, allowPartial, workDir, report: reportPath, chunkSize } = options;
  try {
    return await withProgress(context.output, "Recovering", (onProgress) =>
      recoverStore({
        source,
        output,
        inspectOnly,
        allowPartial,
        workDir,
        reportPath,
        chunkSize,
        onProgress,
        signal: context.signal,
      }),
    );
  } catch (error) {
    const { code, message } = describeError(error);
    // A report that is there already is a matter of the command line; nothing was looked at.
    throw code === "STATE_E_REPORT_EXISTS" ? new UsageError(message) : error;
  }
}

function tableLine(output: Output, name: string, table: TableRecovery): string {
  const { status, copiedRows, salvagedRows, excludedRows, skippedRowidRanges, partialRows } = table;
  const parts = [`${copiedRows + salvagedRows} rows`];
  if (salvagedRows > 0) parts.push(`${salvagedRows} of them read from their pages`);
  if (partialRows > 0) parts.push(`${partialRows} in part`);
  if (excludedRows > 0) parts.push(`${excludedRows} left out: no identity, or a key that is there twice`);
  if (skippedRowidRanges.length > 0) parts.push(`SQLite could not read ${skippedRowidRanges.length} ranges of keys`);
  const { green, red, yellow } = output.colors;
  const color = status === "complete" ? green : status === "failed" ? red : yellow;
  return `  ${color(status.padEnd(8))}  ${sanitizeLine(name)}: ${parts.join("; ")}`;
}

function inspectText(output: Output, report: RecoveryReport): string {
  const { green, yellow } = output.colors;
  const lines = Object.entries(report.inspected).map(([name, { available, rows, sound }]) => {
    const state = available ? (sound ? green("whole   ") : yellow("damaged ")) : yellow("missing ");
    return `  ${state}  ${sanitizeLine(name)}: ${rows} rows`;
  });
  const next = report.recoverable
    ? "Everything can be read. Recover with --output FILE."
    : "Not everything can be read. Keep what can with --output FILE --allow-partial.";
  return [`${report.source}  (nothing was written)`, ...lines, ...notes(output, report), next].join("\n");
}

function notes(output: Output, { warnings, errors, mends }: RecoveryReport): string[] {
  const lines = errors.map((text) => `  ${output.colors.red("error")}  ${sanitizeLine(text)}`);
  lines.push(...warnings.map((text) => `  ${output.colors.yellow("note ")}  ${sanitizeLine(text)}`));
  const cleared = mends.clearedParents + mends.clearedPrompts + mends.removedOrphans;
  if (cleared > 0)
    lines.push(`  ${output.colors.yellow("note ")}  ${cleared} references to rows that are gone were cleared`);
  return lines;
}

function recoverText(output: Output, report: RecoveryReport): string {
  const { green, red, yellow } = output.colors;
  const color = { complete: green, partial: yellow, failed: red }[report.status];
  const tables = Object.entries(report.tables).filter(
    ([, { status, copiedRows, salvagedRows }]) =>
      status === "partial" || status === "failed" || copiedRows + salvagedRows > 0,
  );
  const end =
    report.status === "failed"
      ? "No file was written, and the source was not changed."
      : `Check it, stop every program that uses the old store, and put ${String(report.output)} in its place yourself.`;
  return [
    `${color(report.status)}  ${report.source} -> ${String(report.output)}`,
    ...tables.map(([name, table]) => tableLine(output, name, table)),
    ...notes(output, report),
    end,
  ].join("\n");
}

function exitOf({ operation, recoverable, status }: RecoveryReport): ExitCode {
  if (operation === "inspect") return recoverable ? EXIT.done : EXIT.failed;
  return status === "failed" ? EXIT.failed : EXIT.done;
}

/**
 * Writes everything readable of a damaged store to a new file, without opening the old one. Exit 0 when all was
 * recovered, or the readable part where that was allowed; 1 otherwise. With `--inspect-only`: 0 when all can be
 * recovered, 1 when not.
 */
export const recover: Verb<RecoverVerbOptions> = async (context, options) => {
  checkLine(options);
  context.handleInterrupts();
  const report = await run(context, options);
  await writeDocument(context.output, report, () =>
    report.operation === "inspect" ? inspectText(context.output, report) : recoverText(context.output, report),
  );
  return exitOf(report);
};

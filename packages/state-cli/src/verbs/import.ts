import { isStateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { importInto } from "@hermes/state-portability";
import type { ImportFormatName, ImportMode, ImportProblem, ImportReport } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { openEmptyStore } from "../store/open-empty-store.js";
import { locateStore } from "../store/locate-store.js";
import { isAbsent, openForReading, openForWriting } from "../store/open-store.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `import`. */
export interface ImportVerbOptions {
  readonly source: string;
  readonly from: ImportFormatName | "auto";
  readonly mode: ImportMode;
  readonly dryRun?: boolean;
  readonly keepGoing?: boolean;
  /** False lifts the limits on sizes and counts. */
  readonly limits: boolean;
}

const SHOWN_PROBLEMS = 20;
const NO_LIMITS = { maxSessions: 0, maxMessagesPerSession: 0, maxMessages: 0, maxSessionBytes: 0, maxTotalBytes: 0 };

/** A dry run writes nothing, so it must not create a store either. */
function openTarget(context: VerbContext, dryRun: boolean): StateStore {
  return dryRun ? (openForReading(context) ?? openEmptyStore()) : openForWriting(context);
}

function showProblems(output: Output, source: string, problems: readonly ImportProblem[], total: number): void {
  for (const { file = source, line, sessionId, message } of problems.slice(0, SHOWN_PROBLEMS)) {
    const session = sessionId === undefined ? "" : ` (session ${sanitizeLine(sessionId)})`;
    output.notice(`${sanitizeLine(file)}:${line}: ${sanitizeLine(message)}${session}`);
  }
  if (total > SHOWN_PROBLEMS) output.notice(`... and ${total - SHOWN_PROBLEMS} more`);
}

function showNotes(output: Output, report: ImportReport): void {
  for (const { sessionId, from, to } of report.renamed) {
    const [id, taken, given] = [sessionId, from, to].map(sanitizeLine);
    output.notice(`note: session ${id}: the title "${taken}" is taken here; it is now "${given}"`);
  }
  for (const { id, parentId } of report.detachedLinks) {
    output.notice(`note: session ${sanitizeLine(id)} stands without its parent ${sanitizeLine(parentId)}`);
  }
  for (const column of report.addedColumns)
    output.notice(`note: the column ${sanitizeLine(column)} came with the file`);
}

async function importSource(
  { output, signal }: VerbContext,
  store: StateStore,
  { source, from, mode, dryRun = false, keepGoing = false, limits }: ImportVerbOptions,
  task = "Importing",
): Promise<ImportReport> {
  try {
    return await withProgress(output, task, (onProgress) =>
      importInto(store, source === "-" ? process.stdin : source, {
        from,
        mode,
        dryRun,
        keepGoing,
        ...(!limits && { limits: NO_LIMITS }),
        onProgress,
        signal,
      }),
    );
  } catch (error) {
    if (output.mode === "human" && isStateError(error, "STATE_E_IMPORT_INVALID")) {
      showProblems(output, source, error.facts["problems"] as ImportProblem[], Number(error.facts["problemCount"]));
    }
    throw error;
  }
}

/** What cannot be imported is refused before a store is made for it; a stream is read once, so it is not judged. */
async function judgeFirst(context: VerbContext, options: ImportVerbOptions): Promise<void> {
  if (options.source === "-" || context.options.readonly || !isAbsent(locateStore(context.options).path)) return;
  using empty = openEmptyStore();
  await importSource(context, empty, { ...options, dryRun: true }, "Reading");
}

/** Brings sessions in from a file or a folder; a session arrives whole or not at all. */
export const importSessions: Verb<ImportVerbOptions> = async (context, options) => {
  const { output } = context;
  context.handleInterrupts();
  if (!options.dryRun) await judgeFirst(context, options);
  using store = openTarget(context, options.dryRun ?? false);
  const report = await importSource(context, store, options);
  if (output.mode === "human") {
    showProblems(output, options.source, report.problems, report.failed);
    showNotes(output, report);
  }
  await writeDocument(output, { source: options.source, ...report }, () => summary(report));
  return report.failed > 0 ? EXIT.failed : EXIT.done;
};

function summary(report: ImportReport): string {
  const { dryRun, imported, messages, grown, replaced, skipped, failed } = report;
  const done = `${dryRun ? "Would import" : "Imported"} ${imported} sessions with ${messages} messages`;
  const also = [
    ...(grown > 0 ? [`${grown} brought up to date`] : []),
    ...(replaced > 0 ? [`${replaced} replaced`] : []),
    `${skipped} skipped`,
    `${failed} failed`,
  ];
  return `${done}; ${also.join(", ")}.`;
}

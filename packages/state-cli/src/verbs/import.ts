import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isStateError, StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { importInto } from "@hermes/state-portability";
import type { ImportFormatName, ImportMode, ImportProblem, ImportReport } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import type { Output } from "../output/output.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { openEmptyStore } from "../store/open-empty-store.js";
import { openForReading, openForWriting } from "../store/open-store.js";
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

type FileReport = ImportReport & { readonly file: string };

const SHOWN_PROBLEMS = 20;
const NO_LIMITS = { maxSessions: 0, maxMessagesPerSession: 0, maxMessages: 0, maxSessionBytes: 0, maxTotalBytes: 0 };

/** The files behind an argument: a folder stands for its `.jsonl` files by name. */
function filesOf(source: string): string[] {
  if (source === "-" || statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return [source];
  const files = readdirSync(source)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(source, name));
  if (files.length > 0) return files;
  throw new StateError("STATE_E_IMPORT_MISSING", `The folder ${source} holds no .jsonl file. Check the path.`, {
    path: source,
  });
}

/** A dry run writes nothing, so it must not create a store either. */
function openTarget(context: VerbContext, dryRun: boolean): StateStore {
  return dryRun ? (openForReading(context) ?? openEmptyStore()) : openForWriting(context);
}

function showProblems(output: Output, file: string, problems: readonly ImportProblem[], total: number): void {
  for (const { line, sessionId, message } of problems.slice(0, SHOWN_PROBLEMS)) {
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

async function importFile(
  context: VerbContext,
  store: StateStore,
  file: string,
  options: ImportVerbOptions,
): Promise<FileReport> {
  const { output } = context;
  try {
    const report = await importInto(store, file === "-" ? process.stdin : file, {
      from: options.from,
      mode: options.mode,
      dryRun: options.dryRun ?? false,
      keepGoing: options.keepGoing ?? false,
      ...(!options.limits && { limits: NO_LIMITS }),
      signal: context.signal,
    });
    if (output.mode === "human") {
      showProblems(output, file, report.problems, report.failed);
      showNotes(output, report);
    }
    return { file, ...report };
  } catch (error) {
    if (output.mode === "human" && isStateError(error, "STATE_E_IMPORT_INVALID")) {
      showProblems(output, file, error.facts["problems"] as ImportProblem[], Number(error.facts["problemCount"]));
    }
    throw error;
  }
}

function totals(
  files: readonly FileReport[],
): Record<"found" | "imported" | "skipped" | "failed" | "messages" | "detached", number> {
  const sum = (key: "found" | "imported" | "skipped" | "failed" | "messages" | "detached"): number =>
    files.reduce((total, report) => total + report[key], 0);
  return {
    found: sum("found"),
    imported: sum("imported"),
    skipped: sum("skipped"),
    failed: sum("failed"),
    messages: sum("messages"),
    detached: sum("detached"),
  };
}

/** Brings sessions in from files; a session arrives whole or not at all. */
export const importSessions: Verb<ImportVerbOptions> = async (context, options) => {
  context.handleInterrupts();
  const dryRun = options.dryRun ?? false;
  const sources = filesOf(options.source);
  using store = openTarget(context, dryRun);
  const files: FileReport[] = [];
  for (const file of sources) files.push(await importFile(context, store, file, options));
  const total = totals(files);
  await writeDocument(context.output, { dryRun, ...total, files }, () => {
    const done = `${dryRun ? "Would import" : "Imported"} ${total.imported} sessions with ${total.messages} messages`;
    return `${done}; ${total.skipped} skipped, ${total.failed} failed.`;
  });
  return total.failed > 0 ? EXIT.failed : EXIT.done;
};

import { statSync } from "node:fs";
import { join } from "node:path";
import type { StateStore } from "@hermes/state-core";
import { codecs, exportStore, fileSink, redact as redacted, writableSink } from "@hermes/state-portability";
import type { ExportFormat, ExportOptions, ExportReport, Sink } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import type { SessionSelection } from "../options/selection.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { selectedIds } from "../store/list-selected.js";
import { openEmptyStore } from "../store/open-empty-store.js";
import { openForReading } from "../store/open-store.js";
import { sessionNotFound } from "../store/resolve-session.js";
import { describeSessions, sessionLines } from "../store/doomed-sessions.js";
import type { Verb, VerbContext } from "../verb.js";
import { exportAndDelete } from "./export-delete.js";
import { redactionOf, selectSessions } from "./export-options.js";
import type { ExportVerbOptions } from "./export-options.js";

function targetOf(context: VerbContext, store: StateStore, out: string): Sink {
  return fileSink(store, out, { overwrite: context.options.yes ?? false });
}

function isFolder(out: string): boolean {
  return statSync(out, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A name tells of a session, so it is redacted as the text is. */
function fileNameOf(store: StateStore, id: string, redact: ExportOptions["redact"]): string {
  const stored = { id, title: store.sessions.get(id).title };
  const shown = redact === undefined || redact === false ? stored : redacted(stored, redact === true ? [] : redact);
  const { title } = shown;
  const slug = (title ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  const safeId = shown.id
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, 100);
  return `${safeId}${slug === "" ? "" : `-${slug}`}`;
}

/** Names that are spelled alike without their signs, or in lower case, stay two files. */
function freeName(taken: Set<string>, name: string, extension: string): string {
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${String(number)}`;
  taken.add(free.toLowerCase());
  return free + extension;
}

const EVERYTHING: SessionSelection = { filter: { archived: "include", hidden: "include" }, matches: undefined };

/** Formats that are one file per session in a folder. */
const ONE_EACH: ReadonlyMap<ExportFormat, string> = new Map(
  [codecs.markdown, codecs.html, codecs.atif, codecs.openai].map(({ format, extension }) => [format, extension]),
);

type WriteOptions = Pick<ExportOptions, "format" | "peerSubset" | "redact" | "sessionIds">;

/** Writes to one sink, with a progress bar. */
async function write(
  { output, signal }: VerbContext,
  store: StateStore,
  sink: Sink,
  { format, peerSubset = false, redact = false, sessionIds }: WriteOptions,
): Promise<ExportReport> {
  return await withProgress(output, "Exporting", (onProgress) =>
    exportStore(store, sink, { format, peerSubset, redact, ...(sessionIds && { sessionIds }), onProgress, signal }),
  );
}

/** Says which sessions would be written. */
async function tell({ output }: VerbContext, store: StateStore, options: ExportVerbOptions): Promise<void> {
  const { out = "-", format } = options;
  const sessions = describeSessions(store, selectSessions(store, options) ?? selectedIds(store, EVERYTHING));
  const document = { file: out, format, deletes: false, sessions };
  await writeDocument(output, document, () =>
    [`Would export ${String(sessions.length)} sessions to ${sanitizeLine(out)}:`, ...sessionLines(sessions)].join("\n"),
  );
}

/** Into a folder, each session goes as a file of its own. */
async function exportFolder(
  context: VerbContext,
  store: StateStore,
  folder: string,
  options: ExportVerbOptions,
): Promise<object[]> {
  const extension = ONE_EACH.get(options.format);
  if (extension === undefined)
    throw new UsageError(`${folder} is a folder; name a file for --format ${options.format}.`);
  const ids = selectSessions(store, options) ?? selectedIds(store, EVERYTHING);
  const redact = redactionOf(options);
  const reports: object[] = [];
  const taken = new Set<string>();
  for (const id of new Set(ids)) {
    const file = join(folder, freeName(taken, fileNameOf(store, id, redact), extension));
    const sink = targetOf(context, store, file);
    reports.push({ file, ...(await write(context, store, sink, { ...options, redact, sessionIds: [id] })) });
  }
  return reports;
}

function summary(report: ExportReport, where: string): string {
  const left = Object.entries(report.leftOut).map(([kind, count]) => `${count} ${kind}`);
  const note = left.length > 0 ? ` Left out by this format: ${left.join(", ")}.` : "";
  const taken = Object.values(report.redacted).reduce((sum, count) => sum + count, 0);
  const secrets = taken > 0 ? ` Took out ${taken} secrets.` : "";
  return (
    `Exported ${report.sessions} sessions with ${report.messages} messages to ${sanitizeLine(where)}.` + note + secrets
  );
}

/** Writes sessions to a file, a folder or standard output. */
export const exportSessions: Verb<ExportVerbOptions> = async (context, options) => {
  const { output } = context;
  if (options.deleteAfterVerified === true) return await exportAndDelete(context, options);
  context.handleInterrupts();
  const opened = openForReading(context);
  if (!opened && options.session) throw sessionNotFound(options.session[0] ?? "");
  using store = opened ?? openEmptyStore();
  if (options.dryRun === true) {
    await tell(context, store, options);
    return EXIT.done;
  }
  const { out } = options;
  if (out !== undefined && isFolder(out)) {
    const files = await exportFolder(context, store, out, options);
    await writeDocument(output, { files }, () => `Exported ${files.length} sessions to ${sanitizeLine(out)}.`);
    return EXIT.done;
  }
  const sessionIds = selectSessions(store, options);
  const toStdout = out === undefined || out === "-";
  const sink = toStdout ? writableSink(output.stdout) : targetOf(context, store, out);
  const report = await write(context, store, sink, {
    format: options.format,
    peerSubset: options.peerSubset ?? false,
    redact: redactionOf(options),
    ...(sessionIds && { sessionIds }),
  });
  if (toStdout) output.notice(summary(report, "standard output"));
  else await writeDocument(output, { file: out, ...report }, () => summary(report, out));
  return EXIT.done;
};

import { statSync } from "node:fs";
import { join } from "node:path";
import type { StateStore } from "@hermes/state-core";
import { codecs, exportStore, fileSink, writableSink } from "@hermes/state-portability";
import type { ExportFormat, ExportReport, Sink } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import type { SessionSelection } from "../options/selection.js";
import { selectionOf } from "../options/selection-options.js";
import type { SelectionOptions } from "../options/selection-options.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { selectedIds } from "../store/list-selected.js";
import { openEmptyStore } from "../store/open-empty-store.js";
import { openForReading } from "../store/open-store.js";
import { resolveSession, sessionNotFound } from "../store/resolve-session.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `export`. */
export interface ExportVerbOptions extends SelectionOptions {
  readonly out?: string;
  readonly format: ExportFormat;
  readonly session?: readonly string[];
  readonly lineage: "single" | "logical";
  /** Take secrets out of every text. */
  readonly redact?: boolean;
}

/** The sessions to export, in order; undefined for all of them. */
function select(store: StateStore, options: ExportVerbOptions): readonly string[] | undefined {
  const selection = selectionOf(options);
  const filtered = selection.matches !== undefined || Object.keys(selection.filter).length > 0;
  if (!options.session) return filtered ? [...selectedIds(store, selection)] : undefined;
  if (filtered) throw new UsageError("--session names sessions; filters select them. Use one of the two.");
  const ids = options.session.map((text) => resolveSession(store, text));
  return options.lineage === "logical" ? ids.flatMap((id) => store.lineage.chain(id)) : ids;
}

function targetOf(context: VerbContext, store: StateStore, out: string): Sink {
  return fileSink(store, out, { overwrite: context.options.yes ?? false });
}

function isFolder(out: string): boolean {
  return statSync(out, { throwIfNoEntry: false })?.isDirectory() === true;
}

function fileNameOf(store: StateStore, id: string, extension: string): string {
  const { title } = store.sessions.get(id);
  const slug = (title ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  const safeId = id
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, 100);
  return `${safeId}${slug === "" ? "" : `-${slug}`}${extension}`;
}

const EVERYTHING: SessionSelection = { filter: { archived: "include", hidden: "include" }, matches: undefined };

/** Formats that are one file per session in a folder. */
const ONE_EACH: ReadonlyMap<ExportFormat, string> = new Map(
  [codecs.markdown, codecs.html, codecs.atif, codecs.openai].map(({ format, extension }) => [format, extension]),
);

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
  const ids = select(store, options) ?? selectedIds(store, EVERYTHING);
  const reports: object[] = [];
  for (const id of new Set(ids)) {
    const file = join(folder, fileNameOf(store, id, extension));
    const sink = targetOf(context, store, file);
    reports.push({
      file,
      ...(await exportStore(store, sink, {
        format: options.format,
        redact: options.redact ?? false,
        sessionIds: [id],
        signal: context.signal,
      })),
    });
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
  context.handleInterrupts();
  const opened = openForReading(context);
  if (!opened && options.session) throw sessionNotFound(options.session[0] ?? "");
  using store = opened ?? openEmptyStore();
  const { out } = options;
  if (out !== undefined && isFolder(out)) {
    const files = await exportFolder(context, store, out, options);
    await writeDocument(output, { files }, () => `Exported ${files.length} sessions to ${sanitizeLine(out)}.`);
    return EXIT.done;
  }
  const sessionIds = select(store, options);
  const toStdout = out === undefined || out === "-";
  const sink = toStdout ? writableSink(output.stdout) : targetOf(context, store, out);
  const report = await exportStore(store, sink, {
    format: options.format,
    redact: options.redact ?? false,
    ...(sessionIds && { sessionIds }),
    signal: context.signal,
  });
  if (toStdout) output.notice(summary(report, "standard output"));
  else await writeDocument(output, { file: out, ...report }, () => summary(report, out));
  return EXIT.done;
};

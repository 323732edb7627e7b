import { checkKnownOptions, StateError } from "@hermes/state-core";
import type { Progress, StoreContext } from "@hermes/state-core";
import { detectFormat } from "../detect/detect-format.js";
import { FOREIGN_FORMATS } from "../foreign/foreign-formats.js";
import { foreignFile } from "../foreign/foreign-file.js";
import { foreignReader } from "../foreign/foreign-reader.js";
import type { FormatUids } from "../foreign/format-uids.js";
import { MAX_STATE_LINE_BYTES, PEER_IMPORT_LIMITS, STATE_IMPORT_LIMITS } from "../limits/import-limits.js";
import type { ImportLimits } from "../limits/import-limits.js";
import { LineReader } from "../lines/line-reader.js";
import { peerJsonlReader } from "../peer-jsonl/peer-jsonl-reader.js";
import { stateJsonlReader } from "../state-jsonl/state-jsonl-reader.js";
import type { ImportMode } from "./conflict/decision.js";
import { ImportProgress } from "./import-progress.js";
import { ImportRun } from "./import-run.js";
import type { ImportFormatName, ImportReader, ScannedSession } from "./import-reader.js";
import type { FileImport, ImportItem } from "./import-report.js";
import type { OpenedSource } from "./open-source.js";
import type { Planned } from "./planned.js";
import { pause } from "./pause.js";
import { scanAll } from "./scan-all.js";
import type { ScanResult } from "./scan-all.js";

/** How one file is brought in. */
export interface FileOptions {
  readonly from: ImportFormatName | "auto";
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  readonly keepGoing: boolean;
  readonly limits: Partial<ImportLimits> | undefined;
  readonly onItem: ((item: ImportItem) => void) | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** What the store holds of other programs' transcripts; shared by the files of one import. */
  readonly uids: FormatUids;
  readonly planned: Planned;
}

/**
 * Brings the sessions of one file in: judged as a whole first, then each in one transaction (POR-02).
 *
 * @throws STATE_E_IMPORT_INVALID with the problems and their lines, STATE_E_IMPORT_FORMAT, STATE_E_IMPORT_COLUMN,
 * STATE_E_IMPORT_CHANGED, STATE_E_ABORTED.
 */
export async function importFile(store: StoreContext, file: OpenedSource, options: FileOptions): Promise<FileImport> {
  const format = chooseFormat(file, options.from);
  using opened = openReader(store, file, format, options);
  const progress = new ImportProgress(options.onProgress, options.signal);
  const scan = await scanAll(opened.reader, options.signal, (lines) => progress.judged(lines));
  if (scan.problemCount > 0 && !options.keepGoing) throw invalid(file, scan);
  const run = new ImportRun(store, opened.reader, { ...options, progress });
  run.begin();
  progress.begin(scan.sessions.reduce((sum, { messages }) => sum + messages, 0));
  for (const sessions of groups(scan.sessions)) {
    await pause(options.signal, run.imported);
    run.takeAll(sessions);
  }
  return run.finish(format, scan);
}

const GROUP_MESSAGES = 2_000;
const GROUP_BYTES = 8 * 1024 * 1024;

/** Sessions that are written together: a few thousand messages and a few megabytes of the file. */
function* groups(sessions: readonly ScannedSession[]): Generator<readonly ScannedSession[]> {
  let group: ScannedSession[] = [];
  let messages = 0;
  for (const session of sessions) {
    const bytes = session.offset - (group[0]?.offset ?? session.offset);
    if (group.length > 0 && (messages + session.messages > GROUP_MESSAGES || bytes > GROUP_BYTES)) {
      yield group;
      [group, messages] = [[], 0];
    }
    group.push(session);
    messages += session.messages;
  }
  if (group.length > 0) yield group;
}

function openReader(
  store: StoreContext,
  file: OpenedSource,
  format: ImportFormatName,
  { limits: given, uids }: FileOptions,
): { readonly reader: ImportReader } & Disposable {
  const limits = limitsOf(format, given);
  const now = store.clock.now();
  const foreign = FOREIGN_FORMATS.find(({ name }) => name === format);
  if (foreign) {
    return {
      reader: foreignReader(foreign, foreignFile(file.path, file.name), { now, stored: uids.of(foreign) }),
      [Symbol.dispose]: () => undefined,
    };
  }
  const longest = format === "jsonl" ? MAX_STATE_LINE_BYTES : limits.maxSessionBytes || MAX_STATE_LINE_BYTES;
  const lines = new LineReader(file.path, longest);
  const reader = format === "jsonl" ? stateJsonlReader(lines, limits) : peerJsonlReader(lines, limits, now);
  return { reader, [Symbol.dispose]: () => lines[Symbol.dispose]() };
}

function chooseFormat(file: OpenedSource, from: ImportFormatName | "auto"): ImportFormatName {
  if (from !== "auto") return from;
  const detected = detectFormat(file.path, file.name);
  if (detected !== "sqlite" && detected !== "empty" && detected !== "unknown") return detected;
  const reason = {
    sqlite: "it is an SQLite database. Open it with --db, or export it first",
    empty: "it is empty. Check that the export finished",
    unknown: "it is no format that is known here. Name the format with --from",
  }[detected];
  throw new StateError("STATE_E_IMPORT_FORMAT", `${file.name} cannot be imported: ${reason}.`, {
    path: file.name,
    detected,
  });
}

function limitsOf(format: ImportFormatName, given: Partial<ImportLimits> | undefined): ImportLimits {
  const defaults = format === "jsonl" ? STATE_IMPORT_LIMITS : PEER_IMPORT_LIMITS;
  checkKnownOptions("importInto limits", given, Object.keys(defaults));
  return { ...defaults, ...given };
}

function invalid(file: OpenedSource, scan: ScanResult): StateError {
  const first = scan.problems[0];
  const many = scan.problemCount > 1 ? ` (and ${scan.problemCount - 1} more)` : "";
  const lift = scan.problems.some(({ code }) => code === "STATE_E_IMPORT_LIMIT")
    ? ", or lift the limits (--no-limits)"
    : "";
  return new StateError(
    "STATE_E_IMPORT_INVALID",
    `${file.name}, line ${first?.line ?? 1}: ${first?.message ?? "unreadable"}${many}. Nothing was imported; ` +
      `take in the sessions that are whole (--keep-going)${lift}.`,
    { path: file.name, line: first?.line, problems: scan.problems, problemCount: scan.problemCount },
  );
}

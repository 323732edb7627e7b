import { checkKnownOptions, StateError } from "@hermes/state-core";
import type { StoreContext } from "@hermes/state-core";
import { detectFormat } from "../detect/detect-format.js";
import { MAX_STATE_LINE_BYTES, PEER_IMPORT_LIMITS, STATE_IMPORT_LIMITS } from "../limits/import-limits.js";
import type { ImportLimits } from "../limits/import-limits.js";
import { LineReader } from "../lines/line-reader.js";
import { peerJsonlReader } from "../peer-jsonl/peer-jsonl-reader.js";
import { stateJsonlReader } from "../state-jsonl/state-jsonl-reader.js";
import { ImportRun } from "./import-run.js";
import type { ImportFormatName } from "./import-reader.js";
import type { ImportItem, ImportReport } from "./import-report.js";
import { scanAll } from "./scan-all.js";
import type { ScanResult } from "./scan-all.js";
import { pause } from "./pause.js";
import { openSource } from "./open-source.js";
import type { ImportSource, OpenedSource } from "./open-source.js";

/** What to do with a session whose id the store has already. */
export type ImportMode = "skip" | "copy" | "merge" | "replace";

/** How to import. */
export interface ImportOptions {
  /** The file's format; `auto` judges by its first line. Default `auto`. */
  readonly from?: ImportFormatName | "auto";
  /** Default `skip`: the store's own sessions stay as they are, so no local row is ever lost. */
  readonly mode?: ImportMode;
  /** Report what would be imported and write nothing. */
  readonly dryRun?: boolean;
  /**
   * Import every whole session of a file that has broken ones; default refuses such a file before anything is written.
   */
  readonly keepGoing?: boolean;
  /** Other limits than those of the format. */
  readonly limits?: Partial<ImportLimits>;
  /** Called once per session of the file, in order. */
  readonly onItem?: (item: ImportItem) => void;
  /** Stops between two sessions; those already imported stay. */
  readonly signal?: AbortSignal;
}

const OPTIONS = ["from", "mode", "dryRun", "keepGoing", "limits", "onItem", "signal"] as const;
const FROM: readonly string[] = ["jsonl", "peer", "auto"];
const MODES: readonly ImportMode[] = ["skip", "copy", "merge", "replace"];
const SUPPORTED_MODES: readonly ImportMode[] = ["skip"];

/**
 * Brings sessions into a store. The file is judged as a whole first, so a broken one changes nothing unless `keepGoing`
 * asks for its good part; each session then arrives in one transaction, whole or not at all (POR-02, POR-03).
 *
 * @param source - Path of a file, or a stream of its bytes.
 * @returns What was imported, skipped, renumbered and detached.
 * @throws STATE_E_IMPORT_INVALID with the problems and their lines; STATE_E_IMPORT_FORMAT, STATE_E_IMPORT_SOURCE,
 * STATE_E_IMPORT_MODE, STATE_E_IMPORT_COLUMN, STATE_E_IMPORT_CHANGED, STATE_E_ABORTED; TypeError for unknown options.
 * @example
 * ```ts
 * const report = await importInto(store, "sessions.jsonl", { keepGoing: true });
 * ```
 */
export async function importInto(
  store: StoreContext,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportReport> {
  checkKnownOptions("importInto", options, OPTIONS);
  checkMode(options.mode ?? "skip");
  checkFrom(options.from ?? "auto");
  using file = await openSource(store.path, source, options.signal);
  const format = chooseFormat(file, options.from ?? "auto");
  const limits = limitsOf(format, options.limits);
  using lines = new LineReader(
    file.path,
    format === "jsonl" ? MAX_STATE_LINE_BYTES : limits.maxSessionBytes || MAX_STATE_LINE_BYTES,
  );
  const reader =
    format === "jsonl" ? stateJsonlReader(lines, limits) : peerJsonlReader(lines, limits, store.clock.now());
  const scan = await scanAll(reader, options.signal);
  if (scan.problemCount > 0 && !options.keepGoing) throw invalid(file, scan);
  const run = new ImportRun(store, reader, { dryRun: options.dryRun ?? false, onItem: options.onItem });
  run.begin();
  for (const session of scan.sessions) {
    await pause(options.signal, run.imported);
    run.take(session);
  }
  return run.finish(format, scan);
}

function checkFrom(from: string): void {
  if (FROM.includes(from)) return;
  throw new RangeError(`importInto: from must be one of ${FROM.join(", ")}, not ${JSON.stringify(from)}.`);
}

function checkMode(mode: ImportMode): void {
  if (!MODES.includes(mode)) {
    throw new RangeError(`importInto: mode must be one of ${MODES.join(", ")}, not ${JSON.stringify(mode)}.`);
  }
  if (SUPPORTED_MODES.includes(mode)) return;
  throw new StateError(
    "STATE_E_IMPORT_MODE",
    `The import mode "${mode}" is not supported yet. Use one of: ${SUPPORTED_MODES.join(", ")}.`,
    { mode, supported: SUPPORTED_MODES },
  );
}

function chooseFormat(file: OpenedSource, from: ImportFormatName | "auto"): ImportFormatName {
  if (from === "jsonl" || from === "peer") return from;
  const detected = detectFormat(file.path);
  if (detected === "jsonl" || detected === "peer") return detected;
  const reason = {
    sqlite: "it is an SQLite database. Open it with --db, or export it first",
    empty: "it is empty. Check that the export finished",
    unknown: "its first line is neither a hermes-state export nor a session. Name the format with --from",
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

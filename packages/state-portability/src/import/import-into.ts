import { statSync } from "node:fs";
import { resolve } from "node:path";
import { checkKnownOptions, isStateError, StateError } from "@hermes/state-core";
import type { Progress, StoreContext } from "@hermes/state-core";
import { FormatUids } from "../foreign/format-uids.js";
import type { ImportLimits } from "../limits/import-limits.js";
import type { ImportMode } from "./conflict/decision.js";
import { importFile } from "./import-file.js";
import type { FileOptions } from "./import-file.js";
import { IMPORT_FORMATS } from "./import-formats.js";
import type { ImportFormatName } from "./import-reader.js";
import { Planned } from "./planned.js";
import { ReportTotals } from "./report-totals.js";
import type { ImportItem, ImportReport } from "./import-report.js";
import { openSource } from "./open-source.js";
import type { ImportSource } from "./open-source.js";
import { sourceFiles } from "./source-files.js";

/** How to import. */
export interface ImportOptions {
  /** The file's format; `auto` judges by its beginning. Default `auto`. */
  readonly from?: ImportFormatName | "auto";
  /**
   * What becomes of a session whose id is here already. Default `skip`: it stays as it is, and only what is new in a
   * transcript of another program is added. `copy` takes it in under an id of its own; `merge` compares message by
   * message, appends what goes on and makes a branch of what differs; `replace` puts it in the place of the local one.
   */
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
  /** Called along the way: lines that were judged (`reading`), then messages that were written (`importing`). */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops within five hundred messages; sessions already imported stay, the one being written is not there. */
  readonly signal?: AbortSignal;
}

const OPTIONS = ["from", "mode", "dryRun", "keepGoing", "limits", "onItem", "onProgress", "signal"] as const;
const MODES: readonly ImportMode[] = ["skip", "copy", "merge", "replace"];

/**
 * Brings sessions into a store. A file is judged as a whole first, so a broken one changes nothing unless `keepGoing`
 * asks for its good part; each session then arrives in one transaction, whole or not at all (POR-02, POR-03).
 * Transcripts of other programs keep their ids: importing one again after it grew adds what is new (POR-05).
 *
 * @param source - Path of a file or of a folder of transcripts, or a stream of a file's bytes. Of a folder, a file that
 * cannot be imported is reported and the others are.
 * @returns What was imported, skipped, renumbered and detached.
 * @throws STATE_E_IMPORT_INVALID with the problems and their lines; STATE_E_IMPORT_FORMAT, STATE_E_IMPORT_SOURCE,
 * STATE_E_IMPORT_COLUMN, STATE_E_SESSION_IN_USE, STATE_E_IMPORT_CHANGED, STATE_E_ABORTED; TypeError for unknown
 * options.
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
  const {
    mode = "skip",
    dryRun = false,
    keepGoing = false,
    from = "auto",
    limits,
    onItem,
    onProgress,
    signal,
  } = options;
  const uids = new FormatUids();
  const planned = new Planned();
  const how: FileOptions = { from, mode, dryRun, keepGoing, limits, onItem, onProgress, signal, uids, planned };
  const totals = new ReportTotals(store, dryRun);
  if (typeof source === "string" && statSync(source, { throwIfNoEntry: false })?.isDirectory()) {
    for (const path of sourceFiles(source)) await takeOne(store, path, how, totals);
  } else {
    using file = await openSource(store.path, source, signal);
    totals.add(await importFile(store, file, how));
  }
  return totals.finish();
}

/** One file of a folder: what is wrong with it is told, and does not keep the others out. */
async function takeOne(store: StoreContext, path: string, how: FileOptions, totals: ReportTotals): Promise<void> {
  const onItem = how.onItem && ((item: ImportItem) => how.onItem?.({ ...item, file: path }));
  try {
    using file = await openSource(store.path, path, how.signal);
    totals.add(await importFile(store, file, { ...how, onItem }), path);
  } catch (error) {
    const refusal = isStateError(error) ? error : unreadable(path, error);
    if (!refusal?.code.startsWith("STATE_E_IMPORT_")) throw error;
    totals.refuse(path, refusal);
  }
}

const UNREADABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EBUSY", "EIO", "ENOENT"]);

/** What the file system says of one file is no reason to leave the others out. */
function unreadable(path: string, error: unknown): StateError | undefined {
  const { code, path: where } = error as NodeJS.ErrnoException;
  if (!UNREADABLE.has(code) || where === undefined || resolve(where) !== resolve(path)) return undefined;
  const message = `The import source ${path} cannot be read (${String(code)}). Check its permissions.`;
  return new StateError("STATE_E_IMPORT_SOURCE", message, { path, reason: code }, { cause: error });
}

function checkFrom(from: string): void {
  if (from === "auto" || IMPORT_FORMATS.some((name) => name === from)) return;
  const known = [...IMPORT_FORMATS, "auto"].join(", ");
  throw new RangeError(`importInto: from must be one of ${known}, not ${JSON.stringify(from)}.`);
}

function checkMode(mode: ImportMode): void {
  if (MODES.includes(mode)) return;
  throw new RangeError(`importInto: mode must be one of ${MODES.join(", ")}, not ${JSON.stringify(mode)}.`);
}

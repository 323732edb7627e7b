import { checkKnownOptions, StateError } from "@hermes/state-core";
import type { Progress, StateStore } from "@hermes/state-core";
import { resolve } from "node:path";
import type { ExportFormat } from "./export-codec.js";
import { deleteUnchanged } from "./delete-unchanged.js";
import { selectDeletion } from "./deletion.js";
import { lossyFormat, stoppedBeforeDeletion } from "./export-errors.js";
import { chooseCodec } from "./export-store.js";
import type { LineageScope } from "./lineage-sessions.js";
import { provideExport } from "./provide-export.js";

/** What to export and then delete. */
export interface ExportThenDeleteOptions {
  /** A lossless one: `jsonl`, which is the default. */
  readonly format?: ExportFormat;
  readonly sessionIds: readonly string[];
  /** What goes with each of them; their delegates always do. Default `single`. */
  readonly lineage?: LineageScope;
  /** What was shown to the user: when something else would go now, nothing is written and nothing goes. */
  readonly expected?: readonly string[];
  /** Called along the way: `exporting` messages, `verifying` lines and rows, `deleting` messages. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Looked at until the deletion begins. */
  readonly signal?: AbortSignal | undefined;
}

/** What was exported, verified and deleted. */
export interface ExportThenDeleteReport {
  readonly file: string;
  readonly format: ExportFormat;
  readonly bytes: number;
  /** Of the whole file, in hex. */
  readonly sha256: string;
  /** Every session that went, in the order of the file. */
  readonly sessionIds: readonly string[];
  readonly sessions: number;
  readonly messages: number;
  /** Rows of other tables that went with their sessions and are in no export, such as bindings of chats; by table. */
  readonly notInFile: Readonly<Record<string, number>>;
  /** False when the file was there from a run that ended before its deletion. */
  readonly written: boolean;
}

const OPTIONS = ["format", "sessionIds", "lineage", "expected", "onProgress", "signal"] as const;

/**
 * Exports sessions with their delegates to a file, and deletes them once the file is on disk and was read again: each
 * line is judged as an import would, and every cell of every row is compared with what the file says, in the one
 * transaction that deletes. Whatever is not the same, nothing goes (POR-08).
 *
 * A file that is there already is never overwritten. When it holds exactly these sessions, as a run leaves it that
 * ended before its deletion, it is verified and used.
 *
 * @param path - The file to write.
 * @throws STATE_E_EXPORT_LOSSY for a format that loses something, STATE_E_EXPORT_TARGET, STATE_E_EXPORT_UNVERIFIED
 * when the file reads differently from what was written, STATE_E_EXPORT_CHANGED when the store went on meanwhile,
 * STATE_E_SESSION_IN_USE, STATE_E_SESSION_NOT_FOUND, STATE_E_TARGETS_CHANGED, STATE_E_READONLY, STATE_E_ABORTED;
 * nothing is deleted then. TypeError for unknown options or no session.
 * @example
 * ```ts
 * const report = await exportThenDelete(store, "old.jsonl", { sessionIds: ["s1"], lineage: "logical" });
 * ```
 */
export async function exportThenDelete(
  store: StateStore,
  path: string,
  options: ExportThenDeleteOptions,
): Promise<ExportThenDeleteReport> {
  checkKnownOptions("exportThenDelete", options, OPTIONS);
  const { format = "jsonl", signal, onProgress } = options;
  requireLossless(format);
  if (store.readonly) throw readonlyStore(store.path);
  const deletion = selectDeletion(store, options);
  // What is queued belongs to the rows that go into the file.
  store.settleUsage("write");
  const file = resolve(path);
  const check = (): void => {
    if (signal?.aborted) throw stoppedBeforeDeletion(file, signal);
  };
  const provided = await provideExport(store, file, deletion, { format, onProgress, check, signal });
  check();
  const deleted = deleteUnchanged(store, deletion, provided, onProgress);
  const { bytes, sha256, written } = provided;
  const sessionIds = [...provided.sessions.keys()];
  return { file, format, bytes, sha256, sessionIds, sessions: sessionIds.length, ...deleted, written };
}

/**
 * Deleting what was exported takes a format that brings all of it back.
 *
 * @throws STATE_E_EXPORT_LOSSY, RangeError for an unknown format.
 */
export function requireLossless(format: ExportFormat): void {
  const { losses } = chooseCodec(format);
  if (losses.length > 0) throw lossyFormat(format, losses);
}

function readonlyStore(path: string): StateError {
  const message = "Nothing was exported or deleted: the store is open for reading only. Open it for writing.";
  return new StateError("STATE_E_READONLY", message, { path });
}

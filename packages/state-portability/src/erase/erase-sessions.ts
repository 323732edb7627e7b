import { checkKnownOptions, isStateError, openStateStore, StateError, throwIfAborted } from "@hermes/state-core";
import type { DeleteReport, OtherHolders, ProgressOptions, StateStore } from "@hermes/state-core";
import { dropSideIndex, rebuildIndexes } from "@hermes/state-search";
import { collectCanaries } from "./collect-canaries.js";
import type { NeedleSet } from "./needle-set.js";
import { otherCopies } from "./other-copies.js";
import { scanStoreFiles } from "./scan-files.js";
import type { ScannedFile } from "./scan-files.js";

/** How to erase. */
export interface EraseOptions extends ProgressOptions {
  /** The whole conversation of each session, through all its compactions. Default false. */
  readonly includeLineage?: boolean;
  /** What was shown to the user: when something else would go now, nothing does. */
  readonly expected?: readonly string[];
  /** A folder with transcripts and request dumps of sessions; theirs are deleted, and not overwritten. */
  readonly files?: string;
  /** Delete the rows although others have the store open; their log keeps bytes, so that the proof stays open. */
  readonly whileHeld?: boolean;
}

/** What an erasure did, and what the bytes of the files say now. */
export interface ErasureProof {
  readonly path: string;
  /** Every session that went, delegates among them. */
  readonly sessions: readonly string[];
  readonly messages: number;
  readonly delegations: number;
  /** Distinct texts that were looked for; 0 when nothing that went differs from what stays. */
  readonly canaries: number;
  readonly files: readonly ScannedFile[];
  /** Every file was read whole, and none holds a canary. */
  readonly clean: boolean;
  /** Why the proof is open although the rows are gone; null when it is not. */
  readonly pending: string | null;
  /** What was done, in order. */
  readonly steps: readonly string[];
  /** Copies that were not touched and may hold what was erased. */
  readonly untouched: readonly string[];
}

const OPTION_NAMES = ["includeLineage", "expected", "files", "whileHeld", "onProgress", "signal"] as const;
const OVERWRITE = "PRAGMA secure_delete = ON";

/** What every part of an erasure adds to. */
interface Progressing {
  readonly steps: string[];
  pending: string | null;
}

function isHeld({ connections, processes }: OtherHolders): boolean {
  return connections > 0 || processes.length > 0;
}

function held(path: string, { connections, processes }: OtherHolders): StateError {
  const who = processes.length > 0 ? `process ${processes.join(", ")}` : `${String(connections)} other handles here`;
  return new StateError(
    "STATE_E_STORE_HELD",
    `Nothing was erased: ${path} is open elsewhere too (${who}), and its log would keep the bytes. Close it ` +
      "there and try again.",
    { path, doing: "erase", processes, connections },
  );
}

function targetsOf(store: StateStore, ids: readonly string[], { includeLineage = false }: EraseOptions): string[] {
  const targets = [...store.retention.getDeleteTargets(ids, { includeLineage })];
  const missing = ids.find((id) => !targets.includes(id));
  if (missing === undefined) return targets;
  throw new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `Nothing was erased: there is no session ${JSON.stringify(missing)}. List them: hermes-state sessions list --all`,
    { sessionId: missing },
  );
}

/** Deletes the rows while freed bytes are overwritten: in the pages, and in those the search index gives up. */
function dropRows(
  store: StateStore,
  ids: readonly string[],
  options: EraseOptions,
  targets: readonly string[],
): DeleteReport {
  store.write("overwrite what is freed", (w) => w.exec(OVERWRITE));
  const { includeLineage = false, files, expected = targets } = options;
  const report = store.retention.delete(ids, { includeLineage, expected, ...(files !== undefined && { files }) });
  if (!report.targetsChanged) return report;
  throw new StateError(
    "STATE_E_TARGETS_CHANGED",
    "Nothing was erased: other sessions would go now than were shown. Look again and repeat it.",
    { expected, targets },
  );
}

/** Work that was given away from these sessions, with its tasks and results. */
function deleteDelegations(store: StateStore, sessions: ReadonlySet<string>): number {
  const theirs = store.delegations
    .list()
    .filter(({ originSession, originSessionId, parentSessionId }) =>
      [originSession, originSessionId, parentSessionId].some((id) => typeof id === "string" && sessions.has(id)),
    );
  return theirs.filter(({ delegationId }) => typeof delegationId === "string" && store.delegations.delete(delegationId))
    .length;
}

/** Merges the indexes and writes the file anew: no page keeps what is not in a row. */
function compact(store: StateStore, state: Progressing): void {
  try {
    const { mergedIndexes, failedIndexes } = store.retention.vacuum();
    state.steps.push(`merged ${String(mergedIndexes)} search indexes`, "wrote the file anew without free pages");
    if (failedIndexes > 0) state.steps.push(`could not merge ${String(failedIndexes)} search indexes`);
  } catch (error) {
    if (!isStateError(error)) throw error;
    state.pending = `the file could not be written anew: ${error.message}`;
  }
}

/** The last handle that closes takes the log along; the file may be read only then. */
function closeForGood(store: StateStore, state: Progressing): void {
  const { path } = store;
  dropSideIndex(path);
  const others = store.otherHolders();
  store.close();
  state.steps.push("dropped the side index", "closed the store, which removes its log");
  if (isHeld(others)) state.pending ??= "others have the store open, and its log keeps bytes until they close it";
}

const isClean = (files: readonly ScannedFile[]): boolean =>
  files.every(({ state, found }) => state !== "unreadable" && found === 0);

/** An index that missed the deletion keeps words of rows that are gone: it is made anew from those that stay. */
async function rebuild(path: string, state: Progressing, options: ProgressOptions): Promise<void> {
  using store = openStateStore({ path });
  store.write("overwrite what is freed", (w) => w.exec(OVERWRITE));
  const { ok } = await rebuildIndexes(store, { onProgress: options.onProgress });
  state.steps.push(ok ? "built the search indexes anew" : "could not build the search indexes anew");
  compact(store, state);
  closeForGood(store, state);
}

async function prove(
  path: string,
  canaries: NeedleSet,
  state: Progressing,
  options: ProgressOptions,
): Promise<ScannedFile[]> {
  const { onProgress } = options;
  const files = await scanStoreFiles(path, canaries, { onProgress });
  if (state.pending !== null || files[0]?.state !== "scanned" || files[0].found === 0) return files;
  await rebuild(path, state, options);
  return await scanStoreFiles(path, canaries, { onProgress });
}

/**
 * Deletes sessions with their delegates so that no byte of them stays in the files of the store, and proves it: freed
 * bytes are overwritten, search indexes merged, the file is written anew, its log and side index go, and then every
 * byte of every file is searched for texts that only they had (POR-06).
 *
 * Takes the store over: it is closed when this returns, since an open one has a log and may not be read. Copies beside
 * it are listed and left alone.
 *
 * @param ids - Sessions; unknown ones are refused.
 * @throws STATE_E_STORE_HELD while others have the store open, STATE_E_SESSION_IN_USE, STATE_E_SESSION_NOT_FOUND,
 * STATE_E_TARGETS_CHANGED, STATE_E_READONLY: nothing was erased then, and the store stays open. The signal's reason,
 * which is looked at until the rows go and not after.
 */
export async function eraseSessions(
  store: StateStore,
  ids: readonly string[],
  options: EraseOptions = {},
): Promise<ErasureProof> {
  checkKnownOptions("eraseSessions", options, OPTION_NAMES);
  const { path } = store;
  const others = store.otherHolders();
  if (isHeld(others) && options.whileHeld !== true) throw held(path, others);
  const targets = targetsOf(store, ids, options);
  const canaries = await collectCanaries((fn) => store.read(fn), targets, options);
  throwIfAborted(options.signal);
  const { sessions, messages } = dropRows(store, ids, options, targets);
  const state: Progressing = { steps: ["deleted the rows and overwrote their bytes"], pending: null };
  const delegations = deleteDelegations(store, new Set(sessions));
  compact(store, state);
  closeForGood(store, state);
  const files = await prove(path, canaries, state, options);
  const { steps, pending } = state;
  const clean = pending === null && isClean(files);
  const counts = { sessions, messages, delegations, canaries: canaries.size };
  return { path, ...counts, files, clean, pending, steps, untouched: otherCopies(path) };
}

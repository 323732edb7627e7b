import { checkKnownOptions, throwIfAborted } from "@hermes/state-core";
import type { DeleteReport, StateStore } from "@hermes/state-core";
import { collectCanaries, dropKept } from "./collect-canaries.js";
import { held, othersThanShown, unknownSession } from "./erase-errors.js";
import type { EraseOptions, ErasureProof } from "./erasure.js";
import { FingerprintSet } from "./fingerprint-set.js";
import { otherCopies } from "./other-copies.js";
import {
  findPendingErasures,
  listPendingErasures,
  removePendingErasures,
  tornErasures,
  writePendingErasure,
} from "./pending-erasure.js";
import type { PendingErasure } from "./pending-erasure.js";
import { isHeld, overwriteFreed, prove } from "./prove-erasure.js";
import type { Progressing } from "./prove-erasure.js";
import type { ScannedFile } from "./scan-files.js";

const OPTION_NAMES = ["includeLineage", "expected", "files", "whileHeld", "onProgress", "signal"] as const;

/** What the bytes say decides; nothing is clean that was not read. */
const isClean = (files: readonly ScannedFile[]): boolean =>
  files.every(({ state, found }) => state !== "unreadable" && found === 0);

/** Deletes the rows while freed bytes are overwritten: in the pages, and in those the search index gives up. */
function dropRows(
  store: StateStore,
  ids: readonly string[],
  options: EraseOptions,
  targets: readonly string[],
): DeleteReport {
  overwriteFreed(store);
  const { includeLineage = false, files, expected = targets } = options;
  const report = store.retention.delete(ids, { includeLineage, expected, ...(files !== undefined && { files }) });
  if (report.targetsChanged) throw othersThanShown(expected, targets);
  return report;
}

/** Work that was given away from these sessions, with its tasks and results. */
function deleteDelegations(store: StateStore, isErased: (sessionId: string) => boolean): number {
  const theirs = store.delegations
    .list()
    .filter(({ originSession, originSessionId, parentSessionId }) =>
      [originSession, originSessionId, parentSessionId].some((id) => typeof id === "string" && isErased(id)),
    );
  return theirs.filter(({ delegationId }) => typeof delegationId === "string" && store.delegations.delete(delegationId))
    .length;
}

/** What one run found to do. */
interface Erasing {
  readonly sessions: readonly string[];
  readonly messages: number;
  readonly delegations: number;
  readonly needles: FingerprintSet;
  readonly unsampled: number;
  readonly resumed: boolean;
  /** Records that a clean proof removes. */
  readonly records: readonly string[];
  readonly firstStep: string;
}

/** Ids of sessions, and their titles: what somebody may call them by when they are gone. */
function* namesOf(store: StateStore, targets: readonly string[]): Generator<string> {
  for (const id of targets) {
    yield id;
    const title = store.sessions.find(id)?.title;
    if (typeof title === "string") yield title;
  }
}

function record(
  store: StateStore,
  targets: readonly string[],
  canaries: { readonly needles: FingerprintSet; readonly unsampled: number },
): string {
  return writePendingErasure(store.path, store.random, {
    ...canaries,
    names: namesOf(store, targets),
    sessions: targets.length,
    messages: targets.reduce((sum, id) => sum + store.messages.count(id), 0),
    startedAtSeconds: store.clock.now(),
  });
}

/** Deletes sessions that are there. What an earlier erasure of the same ids left unproven is looked for as well. */
async function begin(
  store: StateStore,
  ids: readonly string[],
  targets: readonly string[],
  options: EraseOptions,
): Promise<Erasing> {
  const earlier = listPendingErasures(store.path).filter((pending) => targets.some((id) => pending.names(id)));
  const known = needlesOf(earlier);
  const canaries = await collectCanaries((fn) => store.read(fn), targets, options, known);
  throwIfAborted(options.signal);
  const pending = record(store, targets, canaries);
  try {
    const { sessions, messages } = dropRows(store, ids, options, targets);
    const gone = new Set(sessions);
    const delegations = deleteDelegations(store, (id) => gone.has(id));
    const records = [...earlier.map(({ path }) => path), pending];
    const firstStep = "deleted the rows and overwrote their bytes";
    return { sessions, messages, delegations, ...canaries, resumed: false, records, firstStep };
  } catch (error) {
    if (isThere(store, targets)) removePendingErasures([pending]);
    throw error;
  }
}

/** Whether nothing of the sessions went; in doubt something did. */
function isThere(store: StateStore, targets: readonly string[]): boolean {
  try {
    return targets.every((id) => store.sessions.find(id) !== undefined);
  } catch {
    // The error that is on its way says more.
    return false;
  }
}

function needlesOf(erasures: readonly PendingErasure[]): FingerprintSet {
  const needles = new FingerprintSet();
  for (const erasure of erasures) needles.addEntries(erasure.entries());
  return needles;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Goes on with erasures that ended behind their deletion. */
async function resume(
  store: StateStore,
  ids: readonly string[],
  erasures: readonly PendingErasure[],
  options: EraseOptions,
): Promise<Erasing> {
  const needles = needlesOf(erasures);
  // Rows that came since may say the same.
  await dropKept((fn) => store.read(fn), [], options, needles);
  overwriteFreed(store);
  const delegations = deleteDelegations(
    store,
    (id) => erasures.some((erasure) => erasure.names(id)) && store.sessions.find(id) === undefined,
  );
  const messages = sum(erasures.map((erasure) => erasure.messages));
  const unsampled = sum(erasures.map((erasure) => erasure.unsampled));
  const records = erasures.map(({ path }) => path);
  const firstStep = "went on with an erasure that had deleted the rows";
  return { sessions: ids, messages, delegations, needles, unsampled, resumed: true, records, firstStep };
}

async function start(store: StateStore, ids: readonly string[], options: EraseOptions): Promise<Erasing> {
  const targets = store.retention.getDeleteTargets(ids, { includeLineage: options.includeLineage ?? false });
  const known = new Set(targets);
  const missing = ids.filter((id) => !known.has(id));
  const [first] = missing;
  if (first === undefined) return await begin(store, ids, targets, options);
  const erasures = missing.length === ids.length ? findPendingErasures(store.path, ids) : [];
  if (erasures.length === 0) throw unknownSession(first);
  return await resume(store, ids, erasures, options);
}

/**
 * Deletes sessions with their delegates so that no byte of them stays in the files of the store, and proves it: freed
 * bytes are overwritten, search indexes merged, the file is written anew, its log and side index go, and then every
 * byte of every file is searched for texts that only they had (POR-06).
 *
 * Takes the store over: it is closed when this returns, since an open one has a log and may not be read. Copies beside
 * it are listed and left alone. An erasure whose proof stays open, since it was killed or others have the store open,
 * is finished by calling this again with the same ids, or the titles those sessions had.
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
  const { needles, records, firstStep, ...counts } = await start(store, ids, options);
  const state: Progressing = { steps: [firstStep], pending: null };
  const files = await prove(store, needles, state, options);
  const { steps, pending } = state;
  const clean = pending === null && isClean(files);
  if (clean) removePendingErasures([...records, ...tornErasures(path)]);
  return { path, ...counts, canaries: needles.size, files, clean, pending, steps, untouched: otherCopies(path) };
}

import type { Reader, Writer } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import { deleteTargets } from "./delete-targets.js";
import { removeSessions } from "./remove-sessions.js";
import { sessionInUse } from "./retention-errors.js";
import { sessionsInUse } from "./sessions-in-use.js";
import { NO_FILES, removeTranscripts } from "./transcript-files.js";
import type { RemovedFiles } from "./transcript-files.js";

/** How to delete. */
export interface DeleteOptions {
  /** The whole conversation of each session, through all its compactions. Default false. */
  readonly includeLineage?: boolean;
  /** What was shown to the user: when something else would go now, nothing does. */
  readonly expected?: readonly string[];
  /** A folder with transcripts and request dumps; those of deleted sessions are removed once the rows are gone. */
  readonly files?: string;
}

/** What a deletion did. */
export interface DeleteReport {
  /** How many of the named sessions went. */
  readonly deleted: number;
  /** Every session that went: the named ones, their lineage where asked for, and their delegates. */
  readonly sessions: readonly string[];
  readonly messages: number;
  /** Something else than expected would have gone, so nothing did. */
  readonly targetsChanged: boolean;
  readonly files: RemovedFiles;
}

const WHAT = "retention.delete";

function checkIds(what: string, ids: unknown): void {
  if (!Array.isArray(ids)) throw new TypeError(`${what} must be a list of ids.`);
  for (const id of ids) checkText(`${what}: each id`, id);
}

/** One id or several, as a list. */
export function idsOf(what: string, ids: string | readonly string[]): readonly string[] {
  const list = typeof ids === "string" ? [ids] : ids;
  checkIds(what, list);
  return list;
}

function checkOptions(options: DeleteOptions): void {
  checkKnownOptions(WHAT, options, ["includeLineage", "expected", "files"]);
  checkBooleans(WHAT, options, ["includeLineage"]);
  if (options.expected !== undefined) checkIds(`${WHAT}: expected`, options.expected);
  if (options.files !== undefined) checkText(`${WHAT}: files`, options.files);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(a);
  return set.size === new Set(b).size && b.every((id) => set.has(id));
}

function refuseInUse(r: Reader, ids: readonly string[], now: number): void {
  const inUse = sessionsInUse(r, now);
  const busy = ids.find((id) => inUse.has(id));
  const lease = busy === undefined ? undefined : inUse.get(busy);
  if (busy !== undefined && lease) throw sessionInUse(busy, lease);
}

/**
 * Deletes inside the caller's transaction, for a deletion that depends on what that transaction sees; unknown ids are
 * no error. Files stay, and so does usage that was not settled before.
 *
 * @param now - REAL seconds.
 * @throws STATE_E_SESSION_IN_USE when any of what would go is worked with; roll back then.
 */
export function deleteInside(
  w: Writer,
  ids: readonly string[],
  options: DeleteOptions,
  now: number,
): Omit<DeleteReport, "files"> {
  const { selected, all } = deleteTargets(w, ids, options.includeLineage === true);
  if (options.expected && !sameSet(options.expected, all)) {
    return { deleted: 0, sessions: [], messages: 0, targetsChanged: true };
  }
  refuseInUse(w, all, now);
  const { messages } = removeSessions(w, all);
  return { deleted: selected.length, sessions: all, messages, targetsChanged: false };
}

/**
 * Deletes sessions with their messages and delegates in one transaction; other children lose their parent. Files go
 * after the commit (COR-33).
 *
 * @throws TypeError. StateError `STATE_E_SESSION_IN_USE` when any of what would go is worked with; nothing goes then.
 */
export function deleteSessions(
  context: StoreContext,
  ids: string | readonly string[],
  options: DeleteOptions,
): DeleteReport {
  checkOptions(options);
  const list = idsOf(WHAT, ids);
  context.settleUsage("write");
  const now = context.clock.now();
  const report = context.write("delete sessions", (w) => deleteInside(w, list, options, now), "transcript");
  return { ...report, files: removeFiles(context, options.files, report.sessions) };
}

/** Removes files after the rows are gone; without a folder, none. */
export function removeFiles(
  context: StoreContext,
  folder: string | undefined,
  deletedIds: readonly string[],
): RemovedFiles {
  if (folder === undefined || deletedIds.length === 0) return NO_FILES;
  return context.read((r) => removeTranscripts(r, folder, deletedIds));
}

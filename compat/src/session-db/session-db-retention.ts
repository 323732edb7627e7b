import { readPageCounts, removeTranscripts } from "@hermes/state-core";
import type { RetentionCandidate, SessionFilter } from "@hermes/state-core";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { given } from "./given.js";
import { folderArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { FILTER_NAMES, retentionFilter } from "./prune-filters.js";
import type { PruneFilters } from "./prune-filters.js";
import { SessionDbListing } from "./session-db-listing.js";

/** How to delete a session. */
export interface DeleteSessionOptions {
  /** A folder with transcripts and request dumps; those of what goes are removed once the rows are gone. */
  readonly sessionsDir?: string | null;
  /** What was shown to the user: when something else would go now, nothing does. */
  readonly expectedDeleteIds?: readonly string[] | null;
  /** The whole conversation, through all its compactions. */
  readonly includeCompressionLineage?: boolean;
}

/** Which sessions to prune, and where their files are. */
export interface PruneSessionsOptions extends PruneFilters {
  readonly sessionsDir?: string | null;
}

/** Which idle conversations to archive. */
export interface StaleOptions {
  readonly idleDays?: number | null;
  /** Default true. */
  readonly excludePinned?: boolean;
}

type Folder = Alone<"sessionsDir", string | null> | null;

const GHOST_SECONDS = 86_400;
const PRUNE_DAYS = 90;

/** Sessions that were counted as empty, whatever they are. */
const EMPTY: SessionFilter = { includeChildren: true, hidden: "include", maxMessageCount: 0 };

/** What goes from the one-object store, and what is put aside. */
export abstract class SessionDbRetention extends SessionDbListing {
  /** What deleting a session would take: itself, then its delegates in the order of ids; nothing for an unknown one. */
  getSessionDeleteTargets(sessionId: string): string[] {
    return [...this.store.retention.getDeleteTargets(sessionId)];
  }

  /**
   * Deletes a session with its messages and delegates; other children lose their parent.
   *
   * @returns Whether it was there, and nothing else would have gone than was expected.
   * @throws StateError `STATE_E_SESSION_IN_USE` while somebody works with any of what would go.
   */
  deleteSession(sessionId: string, options?: DeleteSessionOptions): boolean;
  deleteSession(
    sessionId: string,
    sessionsDir?: string | null,
    expectedDeleteIds?: readonly string[] | null,
    includeCompressionLineage?: boolean,
  ): boolean;
  deleteSession(sessionId: string, ...args: readonly unknown[]): boolean {
    const names = ["sessionsDir", "expectedDeleteIds", "includeCompressionLineage"];
    const options = given(callArguments("SessionDB.deleteSession", args, names) as DeleteSessionOptions);
    const { sessionsDir: files, expectedDeleteIds: expected, includeCompressionLineage: includeLineage } = options;
    const how = { ...(files && { files }), ...(expected && { expected }), ...(includeLineage && { includeLineage }) };
    return this.store.retention.delete(sessionId, how).deleted > 0;
  }

  /** Deletes a session without messages, title and children, in one step. @returns Whether it was one. */
  deleteSessionIfEmpty(sessionId: string, sessionsDir?: Folder): boolean {
    const folder = folderArgument("SessionDB.deleteSessionIfEmpty", sessionsDir);
    if (!this.store.retention.deleteIfEmpty(sessionId)) return false;
    this.#removeFiles([sessionId], folder);
    return true;
  }

  /**
   * Deletes several sessions, all of them or none; unknown ids are skipped.
   *
   * @returns How many of them there were.
   * @throws StateError `STATE_E_SESSION_IN_USE`.
   */
  deleteSessions(sessionIds: readonly string[], options?: Omit<DeleteSessionOptions, "expectedDeleteIds">): number;
  deleteSessions(
    sessionIds: readonly string[],
    sessionsDir?: string | null,
    includeCompressionLineage?: boolean,
  ): number;
  deleteSessions(sessionIds: readonly string[], ...args: readonly unknown[]): number {
    const names = ["sessionsDir", "includeCompressionLineage"];
    const options = given(callArguments("SessionDB.deleteSessions", args, names) as DeleteSessionOptions);
    const { sessionsDir: files, includeCompressionLineage: includeLineage } = options;
    const how = { ...(files && { files }), ...(includeLineage && { includeLineage }) };
    return this.store.retention.delete(sessionIds, how).deleted;
  }

  /** How many ended sessions without messages there are, pinned and archived ones left out. */
  countEmptySessions(): number {
    return this.store.retention.countEmpty();
  }

  /** Deletes what {@link SessionDbRetention.countEmptySessions} counts. @returns How many. */
  deleteEmptySessions(sessionsDir?: Folder): number {
    const folder = folderArgument("SessionDB.deleteEmptySessions", sessionsDir);
    const before = folder ? Array.from(this.store.sessions.iterate(EMPTY), ({ id }) => id) : [];
    const deleted = this.store.retention.deleteEmpty();
    this.#removeFiles(before, folder);
    return deleted;
  }

  /**
   * The sessions that {@link SessionDbRetention.pruneSessions} would delete, oldest first.
   *
   * @param olderThanDays - Default 90; null for any age.
   * @throws TypeError for an unknown filter, RangeError for a negative age.
   */
  listPruneCandidates(options?: PruneFilters): RetentionCandidate[];
  listPruneCandidates(
    olderThanDays?: number | null,
    source?: string | null,
    filters?: PruneFilters,
  ): RetentionCandidate[];
  listPruneCandidates(olderThanDays: number | null, filters: PruneFilters): RetentionCandidate[];
  listPruneCandidates(...args: readonly unknown[]): RetentionCandidate[] {
    const names = ["olderThanDays", "source"];
    const options: PruneFilters = callArguments("SessionDB.listPruneCandidates", args, names, FILTER_NAMES);
    const { olderThanDays = PRUNE_DAYS, ...filters } = options;
    return this.rows(this.store.retention.candidates(retentionFilter({ ...filters, olderThanDays })));
  }

  /**
   * Archives ended conversations; without an age or a filter it refuses.
   *
   * @returns How many.
   */
  archiveSessions(options?: PruneFilters): number;
  archiveSessions(olderThanDays?: number | null, source?: string | null, filters?: PruneFilters): number;
  archiveSessions(olderThanDays: number | null, filters: PruneFilters): number;
  archiveSessions(...args: readonly unknown[]): number {
    const filters = callArguments("SessionDB.archiveSessions", args, ["olderThanDays", "source"], FILTER_NAMES);
    return this.store.retention.archive(retentionFilter(filters)).sessions.length;
  }

  /** Archives conversations, ended or not, that are idle for so long. @returns How many; 0 for no or a negative age. */
  archiveStaleSessions(options?: StaleOptions): number;
  archiveStaleSessions(idleDays?: number | null, options?: StaleOptions): number;
  archiveStaleSessions(...args: readonly unknown[]): number {
    const what = "SessionDB.archiveStaleSessions";
    const { idleDays, excludePinned = true }: StaleOptions = callArguments(what, args, ["idleDays"], ["excludePinned"]);
    if (typeof (idleDays ?? 0) !== "number") throw new TypeError(`${what}: idleDays must be a number.`);
    const includePinned = !flagOf(`${what}: excludePinned`, excludePinned);
    return this.store.retention.archiveStale(idleDays ?? undefined, { includePinned });
  }

  /**
   * Deletes ended sessions, by default those last active more than 90 days ago. Pinned and archived ones stay, so does
   * what a later segment continues; children that stay lose their parent.
   *
   * @param olderThanDays - Default 90; null for any age, if another filter says which.
   * @returns How many.
   * @throws TypeError for an unknown filter, RangeError for a negative age.
   */
  pruneSessions(options?: PruneSessionsOptions): number;
  pruneSessions(
    olderThanDays?: number | null,
    source?: string | null,
    sessionsDir?: string | null,
    filters?: PruneFilters,
  ): number;
  pruneSessions(olderThanDays: number | null, options: PruneSessionsOptions): number;
  pruneSessions(...args: readonly unknown[]): number {
    const names = ["olderThanDays", "source", "sessionsDir"];
    const options: PruneSessionsOptions = callArguments("SessionDB.pruneSessions", args, names, FILTER_NAMES);
    const { sessionsDir, olderThanDays = PRUNE_DAYS, ...filters } = options;
    const how = sessionsDir ? { files: sessionsDir } : {};
    return this.store.retention.prune(retentionFilter({ ...filters, olderThanDays }), how).sessions.length;
  }

  /** Deletes sessions of the terminal interface that ended a day ago or longer without a message or a title. */
  pruneEmptyGhostSessions(sessionsDir?: Folder): number {
    const folder = folderArgument("SessionDB.pruneEmptyGhostSessions", sessionsDir);
    const before = this.store.clock.now() - GHOST_SECONDS;
    const filter = { ...EMPTY, archived: "include" as const, source: "tui", startedBeforeSeconds: before };
    const ghosts = Array.from(this.store.sessions.iterate(filter)).filter(
      ({ endedAtSeconds, pinned }) => endedAtSeconds !== null && pinned !== true,
    );
    return ghosts.filter(({ id }) => this.deleteSessionIfEmpty(id, folder)).length;
  }

  /**
   * Empties assistant texts that are nothing but the name of a tool they call.
   *
   * @param options - `dryRun`: only say which; `backup`: keep a copy of the store, the default.
   */
  purgeStaleToolCallMarkers(options: { readonly dryRun?: boolean; readonly backup?: boolean } = {}): {
    readonly dryRun: boolean;
    readonly messageIds: readonly number[];
    readonly backup: string | null;
  } {
    const report = this.store.retention.purgeToolMarkers(options);
    return this.row({ ...report, backup: report.backup ?? null });
  }

  /** Bytes that the pages of the file hold; its log is no part of it. */
  logicalSizeBytes(): number {
    return this.store.read(readPageCounts).bytes;
  }

  /**
   * Merges the search indexes and gives free pages back to the system.
   *
   * @returns How many indexes were merged.
   * @throws StateError `STATE_E_STORE_HELD` while anybody else has the file open.
   */
  vacuum(): number {
    return this.store.retention.vacuum().mergedIndexes;
  }

  /** Of sessions that are gone; what a living one may own stays. */
  #removeFiles(sessionIds: readonly string[], folder: string | undefined): void {
    if (folder) this.store.read((r) => removeTranscripts(r, folder, sessionIds));
  }
}

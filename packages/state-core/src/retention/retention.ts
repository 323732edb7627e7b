import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import type { StoreFile } from "../store/store-file.js";
import { archiveSelected, archiveStale } from "./archive.js";
import type { ArchiveReport } from "./archive.js";
import { autoArchive, autoMaintain } from "./auto-maintain.js";
import type { AutoArchivePolicy, AutoArchiveReport, MaintenancePolicy, MaintenanceReport } from "./auto-maintain.js";
import { describeCandidates } from "./candidates.js";
import type { RetentionCandidate } from "./candidates.js";
import { deleteSessions, idsOf } from "./delete-sessions.js";
import type { DeleteOptions, DeleteReport } from "./delete-sessions.js";
import { deleteTargets } from "./delete-targets.js";
import { countEmpty, deleteEmpty, deleteIfEmpty } from "./empty-sessions.js";
import { removeNeverActive } from "./never-active.js";
import type { NeverActiveOptions, NeverActiveReport } from "./never-active.js";
import { findOrphans, removeOrphans } from "./orphan-messages.js";
import type { OrphanReport } from "./orphan-messages.js";
import { prune, pruneSelector } from "./prune.js";
import type { PruneOptions, PruneReport } from "./prune.js";
import type { RetentionFilter } from "./retention-filter.js";
import { selectSessions } from "./selection.js";
import { purgeToolMarkers } from "./tool-markers.js";
import type { PurgeOptions, PurgeReport } from "./tool-markers.js";
import { vacuumStore } from "./vacuum.js";
import type { VacuumOptions, VacuumReport } from "./vacuum.js";

/** What goes, what is put aside, and how the file gets smaller (COR-33, COR-34). */
export class Retention {
  readonly #context: StoreContext;
  readonly #file: StoreFile;

  constructor(context: StoreContext, file: StoreFile) {
    this.#context = context;
    this.#file = file;
  }

  /**
   * The sessions that {@link Retention.prune} would delete with the same filter, oldest first.
   *
   * @throws TypeError for an unknown filter or a wrong type, RangeError for a negative age or an empty window.
   */
  candidates(filter: RetentionFilter = {}): readonly RetentionCandidate[] {
    const now = this.#context.clock.now();
    const selector = pruneSelector("retention.candidates", filter, now);
    return this.#context.read((r) => describeCandidates(r, selectSessions(r, selector, now).ids));
  }

  /**
   * Deletes ended sessions that a filter finds; without any condition, those last active more than 90 days ago. Pinned
   * sessions, sessions somebody works with, and segments that a later one continues are spared; children that stay lose
   * their parent.
   *
   * @example
   * ```ts
   * const { sessions } = store.retention.prune({ olderThanDays: 30, source: "cron" }, { dryRun: true });
   * ```
   * @throws TypeError for an unknown filter or a wrong type, RangeError for a negative age or an empty window.
   */
  prune(filter: RetentionFilter = {}, options: PruneOptions = {}): PruneReport {
    return prune(this.#context, filter, options);
  }

  /**
   * Archives ended conversations whose last segment a filter finds.
   *
   * @throws As {@link Retention.prune}; TypeError without any condition.
   */
  archive(filter: RetentionFilter, options: { readonly dryRun?: boolean } = {}): ArchiveReport {
    return archiveSelected(this.#context, filter, options);
  }

  /**
   * Archives conversations, ended or not, that nobody has used for a while, until they go on.
   *
   * @param options - `includePinned`: pinned ones too; default false.
   * @returns How many; 0 for a negative or missing age.
   */
  archiveStale(idleDays?: number, options: { readonly includePinned?: boolean } = {}): number {
    checkKnownOptions("retention.archiveStale", options, ["includePinned"]);
    checkBooleans("retention.archiveStale", options, ["includePinned"]);
    return archiveStale(this.#context, idleDays, options.includePinned).length;
  }

  /**
   * Deletes sessions that were made for a peer and never used, with the routing entries that name them.
   *
   * @throws TypeError, RangeError for a negative age.
   */
  neverActive(options: NeverActiveOptions = {}): NeverActiveReport {
    return removeNeverActive(this.#context, options);
  }

  /**
   * What {@link Retention.delete} would take: the sessions, then their delegates in the order of ids. Pass it back as
   * `expected`.
   */
  getDeleteTargets(
    ids: string | readonly string[],
    options: { readonly includeLineage?: boolean } = {},
  ): readonly string[] {
    const what = "retention.getDeleteTargets";
    checkKnownOptions(what, options, ["includeLineage"]);
    checkBooleans(what, options, ["includeLineage"]);
    const list = idsOf(what, ids);
    return this.#context.read((r) => deleteTargets(r, list, options.includeLineage === true).all);
  }

  /**
   * Deletes sessions with their messages and delegates, all of them or nothing; other children lose their parent.
   * Unknown ids are skipped.
   *
   * @throws TypeError. StateError `STATE_E_SESSION_IN_USE`.
   */
  delete(ids: string | readonly string[], options: DeleteOptions = {}): DeleteReport {
    return deleteSessions(this.#context, ids, options);
  }

  /**
   * Deletes a session if it has no message, no title and no child.
   *
   * @returns Whether it was deleted; false too while somebody works with it.
   */
  deleteIfEmpty(sessionId: string): boolean {
    checkText("retention.deleteIfEmpty: the session id", sessionId);
    return deleteIfEmpty(this.#context, sessionId);
  }

  /**
   * Deletes ended sessions without a message that are neither archived nor pinned.
   *
   * @returns How many.
   */
  deleteEmpty(): number {
    return deleteEmpty(this.#context);
  }

  /** How many sessions {@link Retention.deleteEmpty} would delete. */
  countEmpty(): number {
    return countEmpty(this.#context);
  }

  /** Messages that belong to no session. */
  orphans(): OrphanReport {
    return this.#context.read(findOrphans);
  }

  /**
   * Deletes messages that belong to no session, and what the search index holds of them.
   *
   * @returns What was there.
   */
  removeOrphans(options: { readonly dryRun?: boolean } = {}): OrphanReport {
    return removeOrphans(this.#context, options);
  }

  /**
   * Empties assistant texts that are nothing but the name of a tool they call, after a copy of the store was made
   * beside it.
   */
  purgeToolMarkers(options: PurgeOptions = {}): PurgeReport {
    return purgeToolMarkers(this.#context, this.#file, options);
  }

  /**
   * Gives free pages back to the system.
   *
   * @throws StateError `STATE_E_STORE_HELD` while another process, or another handle of this one, has the file open.
   */
  vacuum(options: VacuumOptions = {}): VacuumReport {
    return vacuumStore(this.#context, this.#file, options);
  }

  /**
   * Closes what was left open, prunes and compacts, if that is due and no other process does it; never fails.
   *
   * @throws TypeError or RangeError for an impossible policy only.
   */
  autoMaintain(policy: MaintenancePolicy = {}): MaintenanceReport {
    return autoMaintain(this.#context, this.#file, policy);
  }

  /** As {@link Retention.autoMaintain}: archives conversations that have been idle for three days. */
  autoArchive(policy: AutoArchivePolicy = {}): AutoArchiveReport {
    return autoArchive(this.#context, policy);
  }
}

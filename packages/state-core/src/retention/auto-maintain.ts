import type { Writer } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { activitySql } from "../sessions/activity-sql.js";
import { REAPED_END_REASON } from "../sessions/end-reasons.js";
import { endSession } from "../sessions/end-session.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import type { StoreFile } from "../store/store-file.js";
import { archiveStale } from "./archive.js";
import { checkDays, DAY_SECONDS } from "./check-days.js";
import { pruneSelected, RETENTION_DAYS } from "./prune.js";
import { retentionSql } from "./retention-filter.js";
import { isDue, markDone, runMaintenance, summarizeError } from "./run-maintenance.js";
import type { MaintenanceError, MaintenanceOutcome } from "./run-maintenance.js";
import { pinnedSessions } from "./selection.js";
import type { Selector } from "./selection.js";
import { sessionsInUse } from "./sessions-in-use.js";
import { readPageCounts, vacuumStore } from "./vacuum.js";

/** What automatic maintenance may do, and how often. */
export interface MaintenancePolicy {
  /** Ended sessions whose last activity is older go; default 90. */
  readonly retentionDays?: number;
  /** Hours between two runs, of whichever process; default 24. */
  readonly intervalHours?: number;
  /** Days between two vacuums; default 30. */
  readonly vacuumIntervalDays?: number;
  /** The share of free pages above which a vacuum is worth it; default 0.25. */
  readonly freelistRatio?: number;
  /** A folder with transcripts of sessions; those of pruned ones go too. */
  readonly files?: string;
}

/** What maintenance did. */
export interface MaintenanceReport extends MaintenanceOutcome {
  /** Sessions that were deleted. */
  readonly pruned: number;
  /** Sessions that had been left open and were closed; they stay for another period. */
  readonly closed: number;
  readonly vacuumed: boolean;
  /** Share of free pages after pruning; undefined when nothing was pruned. */
  readonly freelistRatio: number | undefined;
}

/** How idle a conversation must be to be archived, and how often to look. */
export interface AutoArchivePolicy {
  /** Default 3. */
  readonly idleDays?: number;
  /** Default 24. */
  readonly intervalHours?: number;
  /** Pinned ones too; default false. */
  readonly includePinned?: boolean;
}

/** What automatic archiving did. */
export interface AutoArchiveReport extends MaintenanceOutcome {
  /** Conversations that were archived. */
  readonly archived: number;
}

const HOUR_SECONDS = 3_600;
const WHAT = "retention.autoMaintain";

/** Programs that die without a word; people who write from a messenger come back after any time. */
const FORGETFUL_SOURCES = ["cli", "cron", "kanban", "acp", "api_server", "subagent", "tool", "recovered"];

const LEFT_OPEN = `
  SELECT id FROM (
    SELECT s.id AS id, ${activitySql("s")} AS moment FROM sessions AS s
    WHERE s.ended_at IS NULL AND s.source IN (SELECT value FROM json_each(?))
  )
  WHERE moment >= 0 AND moment < ?`;

function closeLeftOpen(w: Writer, before: number, now: number): number {
  const pinned = pinnedSessions(w);
  const inUse = sessionsInUse(w, now);
  const left = w.all<{ id: string }>(LEFT_OPEN, [JSON.stringify(FORGETFUL_SOURCES), before]);
  return left.filter(({ id }) => !pinned.has(id) && !inUse.has(id) && endSession(w, id, REAPED_END_REASON, now)).length;
}

/** What was archived by hand is kept for somebody; what the sweep archived is not. */
function agedOut(retentionDays: number, now: number): Selector {
  const { where, params } = retentionSql(WHAT, { olderThanDays: retentionDays, archived: "include" }, now);
  const filter = { where: `${where} AND (s.archived = 0 OR s.auto_archived <> 0)`, params };
  return { filter, includePinned: false, tipsOnly: false };
}

function checkPolicy(policy: MaintenancePolicy): Required<Omit<MaintenancePolicy, "files">> {
  checkKnownOptions(WHAT, policy, ["retentionDays", "intervalHours", "vacuumIntervalDays", "freelistRatio", "files"]);
  const { retentionDays = RETENTION_DAYS, intervalHours = 24, vacuumIntervalDays = 30, freelistRatio = 0.25 } = policy;
  checkDays(`${WHAT}: retentionDays`, retentionDays);
  checkDays(`${WHAT}: intervalHours`, intervalHours);
  checkDays(`${WHAT}: vacuumIntervalDays`, vacuumIntervalDays);
  checkDays(`${WHAT}: freelistRatio`, freelistRatio);
  if (policy.files !== undefined) checkText(`${WHAT}: files`, policy.files);
  return { retentionDays, intervalHours, vacuumIntervalDays, freelistRatio };
}

interface VacuumStep {
  readonly vacuumed: boolean;
  readonly freelistRatio: number;
  readonly error: MaintenanceError | undefined;
}

/** Compacts the file when it is worth it and nobody else has it open; a failed attempt is made again next time. */
function vacuumIfWorthIt(context: StoreContext, file: StoreFile, ratio: number, everyDays: number): VacuumStep {
  const { pages, free } = context.read(readPageCounts);
  const freelistRatio = pages === 0 ? 0 : free / pages;
  const nothing = { vacuumed: false, freelistRatio, error: undefined };
  if (freelistRatio <= ratio || !isDue(context, "lastVacuum", everyDays * DAY_SECONDS)) return nothing;
  const others = file.otherHolders();
  if (others.connections > 0 || others.processes.length > 0) return nothing;
  try {
    vacuumStore(context, file, {});
    markDone(context, "lastVacuum");
    return { ...nothing, vacuumed: true };
  } catch (error) {
    return { ...nothing, error: summarizeError(error) };
  }
}

/**
 * Closes what was left open, deletes what is beyond its time and compacts the file, if that is due and no other
 * process does it. It never fails: what went wrong is in the report (COR-33).
 *
 * @throws TypeError or RangeError for an impossible policy only.
 */
export function autoMaintain(context: StoreContext, file: StoreFile, policy: MaintenancePolicy): MaintenanceReport {
  const { retentionDays, intervalHours, vacuumIntervalDays, freelistRatio } = checkPolicy(policy);
  let pruned = 0;
  let closed = 0;
  let compacted: VacuumStep | undefined;
  const outcome = runMaintenance(context, "lastAutoPrune", intervalHours * HOUR_SECONDS, () => {
    const now = context.clock.now();
    const before = now - retentionDays * DAY_SECONDS;
    closed = context.write("close sessions that were left open", (w) => closeLeftOpen(w, before, now));
    const files = policy.files === undefined ? {} : { files: policy.files };
    pruned = pruneSelected(context, agedOut(retentionDays, now), files).sessions.length;
    markDone(context, "lastAutoPrune");
    if (pruned > 0) compacted = vacuumIfWorthIt(context, file, freelistRatio, vacuumIntervalDays);
  });
  return {
    skipped: outcome.skipped,
    error: outcome.error ?? compacted?.error,
    pruned,
    closed,
    vacuumed: compacted?.vacuumed ?? false,
    freelistRatio: compacted?.freelistRatio,
  };
}

/**
 * Archives idle conversations, if that is due and no other process maintains the store. It never fails: what went wrong
 * is in the report.
 *
 * @throws TypeError or RangeError for an impossible policy only.
 */
export function autoArchive(context: StoreContext, policy: AutoArchivePolicy): AutoArchiveReport {
  const what = "retention.autoArchive";
  checkKnownOptions(what, policy, ["idleDays", "intervalHours", "includePinned"]);
  checkBooleans(what, policy, ["includePinned"]);
  const { idleDays = 3, intervalHours = 24 } = policy;
  checkDays(`${what}: idleDays`, idleDays);
  checkDays(`${what}: intervalHours`, intervalHours);
  let archived = 0;
  const outcome = runMaintenance(context, "lastAutoArchive", intervalHours * HOUR_SECONDS, () => {
    archived = archiveStale(context, idleDays, policy.includePinned).length;
    markDone(context, "lastAutoArchive");
  });
  return { ...outcome, archived };
}

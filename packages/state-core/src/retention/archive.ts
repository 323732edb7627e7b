import type { Writer } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { CONVERSATION_SQL } from "../lineage/conversation-sql.js";
import { activitySql } from "../sessions/activity-sql.js";
import { setFlag } from "../sessions/flags/set-flag.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import { DAY_SECONDS } from "./check-days.js";
import { checkRetentionFilter, isSelecting, retentionSql } from "./retention-filter.js";
import type { RetentionFilter } from "./retention-filter.js";
import { pinnedSessions, selectSessions } from "./selection.js";
import type { Selector, Spared } from "./selection.js";
import { sessionsInUse } from "./sessions-in-use.js";

/** What an archive run did, or with `dryRun` would do. */
export interface ArchiveReport {
  readonly dryRun: boolean;
  /** The last segments of the conversations, oldest first. */
  readonly sessions: readonly string[];
  readonly spared: Spared;
}

const WHAT = "retention.archive";

/** A sweep's archive is undone when the conversation goes on; one by hand is not. */
const SWEEP = `${CONVERSATION_SQL}
  UPDATE sessions SET archived = 1, auto_archived = 1 WHERE archived = 0 AND id IN (SELECT id FROM conversation)`;

/** Sessions that have ended or not; a compacted segment only through its continuation. */
const STALE = `
  SELECT id FROM (
    SELECT s.id AS id, ${activitySql("s")} AS moment FROM sessions AS s
    WHERE s.archived = 0 AND s.end_reason IS NOT 'compression'
  )
  WHERE moment >= 0 AND moment < ? ORDER BY moment, id`;

function archiveSelector(filter: RetentionFilter, now: number): Selector {
  checkRetentionFilter(WHAT, filter);
  if (!isSelecting(filter)) {
    throw new TypeError(`${WHAT}: name a filter, such as olderThanDays; without one everything would be archived.`);
  }
  return { filter: retentionSql(WHAT, filter, now), includePinned: filter.includePinned === true, tipsOnly: true };
}

/**
 * Archives ended conversations whose last segment a filter finds, every segment of them (COR-30, COR-33).
 *
 * @throws TypeError without a filter.
 */
export function archiveSelected(
  context: StoreContext,
  filter: RetentionFilter,
  options: { readonly dryRun?: boolean },
): ArchiveReport {
  checkKnownOptions(WHAT, options, ["dryRun"]);
  checkBooleans(WHAT, options, ["dryRun"]);
  const now = context.clock.now();
  const selector = archiveSelector(filter, now);
  if (options.dryRun) {
    const { ids, spared } = context.read((r) => selectSessions(r, selector, now));
    return { dryRun: true, sessions: ids, spared };
  }
  return context.write("archive sessions", (w) => {
    const { ids, spared } = selectSessions(w, selector, now);
    for (const id of ids) setFlag(w, id, "archived", true);
    return { dryRun: false, sessions: ids, spared };
  });
}

function archiveIdle(w: Writer, before: number, now: number, includePinned: boolean): string[] {
  const pinned = includePinned ? undefined : pinnedSessions(w);
  const inUse = sessionsInUse(w, now);
  const stale = w.all<{ id: string }>(STALE, [before]).filter(({ id }) => !pinned?.has(id) && !inUse.has(id));
  for (const { id } of stale) w.run(SWEEP, [id]);
  return stale.map(({ id }) => id);
}

/**
 * Archives conversations that nobody has used for a while, ended or not, until they go on (COR-30).
 *
 * @returns The last segments of the conversations, the longest idle first; none for an age that is no age.
 */
export function archiveStale(
  context: StoreContext,
  idleDays: number | undefined,
  includePinned = false,
): readonly string[] {
  if (idleDays === undefined || !(idleDays >= 0)) return [];
  const now = context.clock.now();
  return context.write("archive idle sessions", (w) =>
    archiveIdle(w, now - idleDays * DAY_SECONDS, now, includePinned),
  );
}

import { checkChoice } from "../codec/check-choice.js";
import { saneSecondsSql } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { activitySql } from "../sessions/activity-sql.js";
import { REAPED_END_REASON } from "../sessions/end-reasons.js";
import { checkBooleans, checkMatch, MATCH_KEYS } from "../sessions/list/check-match.js";
import { Conditions } from "../sessions/list/conditions.js";
import type { FilterSql } from "../sessions/list/conditions.js";
import { addMatch } from "../sessions/list/match-sql.js";
import type { SessionMatch } from "../sessions/list/session-match.js";
import { checkDays, DAY_SECONDS } from "./check-days.js";

/** Which ended sessions to prune or archive: the conditions of a listing, joined by AND, each session for itself. */
export interface RetentionFilter extends SessionMatch {
  /** Last active longer ago than this; `lastActiveBeforeSeconds` wins over it. */
  readonly olderThanDays?: number;
  /** Default `hide`: archived sessions are left alone. */
  readonly archived?: "hide" | "include" | "only";
  /** Pinned sessions, and what continues them, too. Default false. */
  readonly includePinned?: boolean;
  /** Only the last segments of conversations. Default false. */
  readonly lineageTipsOnly?: boolean;
}

const SELECTING: readonly (keyof RetentionFilter)[] = [...MATCH_KEYS, "olderThanDays"];
const RETENTION_KEYS: readonly (keyof RetentionFilter)[] = [
  ...SELECTING,
  "archived",
  "includePinned",
  "lineageTipsOnly",
];

/** What was closed for having been forgotten ages from there on: it gets a whole period before it goes. */
const AGED = `CASE WHEN s.end_reason = '${REAPED_END_REASON}' AND ${saneSecondsSql("s.ended_at")} IS NOT NULL
    THEN s.ended_at ELSE ${activitySql("s")} END`;

/**
 * Refuses unknown keys, wrong types and impossible values.
 *
 * @throws TypeError, RangeError.
 */
export function checkRetentionFilter(what: string, filter: RetentionFilter): void {
  checkKnownOptions(what, filter, RETENTION_KEYS);
  checkMatch(what, filter);
  checkBooleans(what, filter, ["includePinned", "lineageTipsOnly"]);
  const { archived, olderThanDays } = filter;
  if (archived !== undefined) checkChoice(`${what}: archived`, archived, ["hide", "include", "only"]);
  if (olderThanDays !== undefined) checkDays(`${what}: olderThanDays`, olderThanDays);
}

/** True when a filter says which sessions, and not only how to treat them. */
export function isSelecting(filter: RetentionFilter): boolean {
  return SELECTING.some((key) => filter[key] !== undefined);
}

/**
 * The condition a filter stands for, over every session: whether it has ended is for the selection to look at (COR-33).
 *
 * @param now - REAL seconds that ages count back from.
 * @throws RangeError when the age leaves no window.
 */
export function retentionSql(what: string, filter: RetentionFilter, now: number): FilterSql {
  const { archived = "hide", olderThanDays } = filter;
  const aged = olderThanDays === undefined ? undefined : Math.max(0, now - olderThanDays * DAY_SECONDS);
  const before = filter.lastActiveBeforeSeconds ?? aged;
  const match = before === undefined ? filter : { ...filter, lastActiveBeforeSeconds: before };
  checkMatch(what, match);
  const conditions = new Conditions();
  addMatch(conditions, match, AGED);
  if (archived !== "include") conditions.add(`s.archived ${archived === "only" ? "<>" : "="} 0`);
  return conditions.done();
}

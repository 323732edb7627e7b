import type { Reader, Writer } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import { saneSecondsSql } from "../codec/seconds.js";
import { checkDays, DAY_SECONDS } from "./check-days.js";
import { chunksOf } from "./chunks-of.js";
import { removeSessions } from "./remove-sessions.js";
import { sessionsInUse } from "./sessions-in-use.js";

/** How to sweep. */
export interface NeverActiveOptions {
  /** Started longer ago than this; default 30. */
  readonly olderThanDays?: number;
  /** Say what would go, and leave it. Default false. */
  readonly dryRun?: boolean;
}

/** An entry of the gateway that named a session. */
export interface RemovedRoute {
  readonly scope: string;
  readonly sessionKey: string;
  readonly sessionId: string;
}

/** What a sweep did, or with `dryRun` would do. */
export interface NeverActiveReport {
  readonly dryRun: boolean;
  readonly sessions: readonly string[];
  readonly routes: readonly RemovedRoute[];
}

/** Younger rows may still be on their way to a first message. */
const FLOOR_DAYS = 30;

const WHAT = "retention.neverActive";
const COUNTERS = ["message_count", "tool_call_count", "api_call_count", "input_tokens", "output_tokens"];

/** Made for a peer and never used: no trace of any activity, and nothing that leads to it. */
const NEVER_ACTIVE = `
  SELECT s.id AS id FROM sessions AS s
  WHERE s.session_key IS NOT NULL AND s.ended_at IS NULL AND s.title IS NULL AND s.last_activity_at IS NULL
    AND ${COUNTERS.map((column) => `COALESCE(s.${column}, 0) = 0`).join(" AND ")}
    AND s.pinned = 0 AND s.archived = 0 AND ${saneSecondsSql("s.started_at")} < ?
    AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id)
    AND NOT EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent_session_id = s.id)
  ORDER BY s.started_at, s.id`;

/** The id stands inside of the entry and nowhere else. */
const ROUTES = `
  SELECT scope, session_key AS sessionKey, routed AS sessionId FROM (
    SELECT g.scope, g.session_key,
      CASE WHEN json_valid(g.entry_json) THEN json_extract(g.entry_json, '$.session_id') END AS routed
    FROM gateway_routing AS g)
  WHERE routed IN (SELECT value FROM json_each(?))
  ORDER BY scope, session_key`;

const DELETE_ROUTE = "DELETE FROM gateway_routing WHERE scope = ? AND session_key = ?";

function findNeverActive(r: Reader, before: number, now: number): Omit<NeverActiveReport, "dryRun"> {
  const inUse = sessionsInUse(r, now);
  const sessions = r.all<{ id: string }>(NEVER_ACTIVE, [before]).flatMap(({ id }) => (inUse.has(id) ? [] : [id]));
  const routes = chunksOf(sessions).flatMap((chunk) => r.all<RemovedRoute>(ROUTES, [JSON.stringify(chunk)]));
  return { sessions, routes };
}

function sweep(w: Writer, before: number, now: number): Omit<NeverActiveReport, "dryRun"> {
  const found = findNeverActive(w, before, now);
  for (const { scope, sessionKey } of found.routes) w.run(DELETE_ROUTE, [scope, sessionKey]);
  removeSessions(w, found.sessions);
  return found;
}

/**
 * Deletes sessions that were made for a peer and never used, with the gateway's entries that name them, in one
 * transaction (COR-34). Ended-only selections cannot reach such rows.
 *
 * @throws TypeError, RangeError for a negative age.
 */
export function removeNeverActive(context: StoreContext, options: NeverActiveOptions): NeverActiveReport {
  checkKnownOptions(WHAT, options, ["olderThanDays", "dryRun"]);
  checkBooleans(WHAT, options, ["dryRun"]);
  const { olderThanDays = FLOOR_DAYS, dryRun = false } = options;
  checkDays(`${WHAT}: olderThanDays`, olderThanDays);
  const now = context.clock.now();
  const before = now - olderThanDays * DAY_SECONDS;
  if (dryRun) return { dryRun, ...context.read((r) => findNeverActive(r, before, now)) };
  context.settleUsage("write");
  return { dryRun, ...context.write("remove sessions that were never active", (w) => sweep(w, before, now)) };
}

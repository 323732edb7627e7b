import type { Reader } from "@hermes/state-schema";
import type { StoreContext } from "../store/context.js";
import { pruneSelected } from "./prune.js";
import { removeSessions } from "./remove-sessions.js";
import { selectSessions } from "./selection.js";
import type { Selector } from "./selection.js";
import { sessionsInUse } from "./sessions-in-use.js";

const NO_MESSAGE = "NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id)";

/** Counted as empty, and empty: what was taken back is still there, and may be restored. */
const EMPTY: Selector = {
  filter: { where: `COALESCE(s.message_count, 0) = 0 AND s.archived = 0 AND ${NO_MESSAGE}`, params: [] },
  includePinned: false,
  tipsOnly: false,
};

const IS_EMPTY = `
  SELECT 1 AS empty FROM sessions AS s
  WHERE s.id = ? AND s.title IS NULL AND ${NO_MESSAGE}
    AND NOT EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent_session_id = s.id)`;

/** How many sessions {@link deleteEmpty} would delete now. */
export function countEmpty(context: StoreContext): number {
  return context.read((r: Reader) => selectSessions(r, EMPTY, context.clock.now()).ids.length);
}

/**
 * Deletes ended sessions without a message that are neither archived nor pinned.
 *
 * @returns How many.
 */
export function deleteEmpty(context: StoreContext): number {
  return pruneSelected(context, EMPTY, {}).sessions.length;
}

/**
 * Deletes a session if it has no message, no title and no child, in one step: a message that arrives meanwhile is kept.
 *
 * @returns Whether it was deleted; false too while somebody works with it.
 */
export function deleteIfEmpty(context: StoreContext, sessionId: string): boolean {
  context.settleUsage("write");
  return context.write("delete an empty session", (w) => {
    if (!w.get(IS_EMPTY, [sessionId]) || sessionsInUse(w, context.clock.now()).has(sessionId)) return false;
    return removeSessions(w, [sessionId]).sessions > 0;
  });
}

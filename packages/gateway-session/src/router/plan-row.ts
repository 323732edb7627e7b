import type { SessionFields, SessionFlag } from "@hermes/state-core";
import type { PendingProperties, RoutingEntry } from "../entry/routing-entry.js";
import type { MessageSource } from "../source/message-source.js";
import { recordOf } from "./peer-of.js";
import type { PlannedStep } from "./route-step.js";
import { sourceOf, sourceOfKey } from "./source-of.js";

type Row = SessionFields & { readonly id: string };

function rowOf(id: string, sessionKey: string, from: MessageSource): Row {
  const { source, ...peer } = recordOf(sessionKey, from);
  return { id, source, ...peer };
}

function flagsOf({ hidden, pinned, archived }: PendingProperties): Partial<Record<SessionFlag, boolean>> {
  return {
    ...(hidden !== undefined && { hidden }),
    ...(pinned !== undefined && { pinned }),
    ...(archived !== undefined && { archived }),
  };
}

/** The row of the session that a route leads to, with what was asked for it before it was there (GWS-11). */
export function planRow(entry: RoutingEntry): PlannedStep {
  const { sessionId, sessionKey, previousSessionId: parent, pending } = entry;
  const row = rowOf(sessionId, sessionKey, sourceOf(entry));
  const create: Row = {
    ...row,
    displayName: row.displayName ?? entry.displayName,
    startedAtSeconds: entry.createdAtSeconds,
    ...(parent !== null && { parentSessionId: parent, modelConfig: { _reset_from: parent } }),
    ...(pending.title !== undefined && { title: pending.title }),
  };
  return { entry: { ...entry, pending: {} }, create, flags: flagsOf(pending) };
}

/**
 * The row of a session that its route does not lead to any more, or never did, though something was said in it: that
 * must be kept, and the session must not come back.
 */
export function planLateRow(entry: RoutingEntry, sessionId: string): PlannedStep {
  const left = entry.history.find((step) => step.previousSessionId === sessionId);
  const create = rowOf(sessionId, entry.sessionKey, sourceOf(entry));
  return { entry, create, leave: { sessionId, reason: left?.why ?? "session_reset" } };
}

/** The row of a session whose route is gone: the next message of the peer finds it. */
export function planLostRow(sessionKey: string, sessionId: string): PlannedStep {
  return { entry: null, create: rowOf(sessionId, sessionKey, sourceOfKey(sessionKey)) };
}

import type { PeerRecord } from "@hermes/state-core";
import { newEntry } from "../entry/new-entry.js";
import type { RouteStep, RoutingEntry } from "../entry/routing-entry.js";
import type { KeyedSession, SessionStanding } from "../port/session-storage-port.js";
import type { MessageSource } from "../source/message-source.js";
import { displayNameOf, recordOf } from "./peer-of.js";
import { withStep } from "./route-step.js";
import type { PlannedStep } from "./route-step.js";

/** A step that leads somewhere. */
export type LeadingStep = PlannedStep & { readonly entry: RoutingEntry };

/** Who begins, where and when. */
export interface Beginning {
  readonly sessionKey: string;
  readonly source: MessageSource;
  readonly sessionId: string;
  /** REAL seconds. */
  readonly now: number;
}

function freshEntry({ sessionKey, source, sessionId, now }: Beginning): RoutingEntry {
  const displayName = displayNameOf(source);
  return newEntry({ sessionKey, sessionId, source, displayName, nowSeconds: now });
}

/** The first session of a peer. */
export function planNew(beginning: Beginning): LeadingStep {
  const { sessionId, now } = beginning;
  return { entry: withStep(freshEntry(beginning), { atSeconds: now, what: "created", sessionId }) };
}

/** Why a peer begins anew. */
export interface ResetCause {
  readonly reason: string;
  /** Whether time or a suspension did it, not the peer. */
  readonly automatic: boolean;
  /** Whether the session that is left is ended by this step; false where it has ended already. */
  readonly ends: boolean;
}

/** A new session in place of the one that a route leads to; what was kept beside the old one goes with it. */
export function planReset(beginning: Beginning, old: RoutingEntry, cause: ResetCause): LeadingStep {
  const { sessionId, now } = beginning;
  const { sessionId: previousSessionId } = old;
  const { reason, automatic, ends } = cause;
  const step: RouteStep = { atSeconds: now, what: "reset", sessionId, previousSessionId, why: reason };
  const entry: RoutingEntry = {
    ...freshEntry(beginning),
    displayName: displayNameOf(beginning.source) ?? old.displayName,
    history: old.history,
    isFreshReset: true,
    wasAutoReset: automatic,
    autoResetReason: automatic ? reason : null,
    resetHadActivity: old.lastPromptTokens > 0,
    previousSessionId,
  };
  const leave = { sessionId: previousSessionId, reason };
  return { entry: withStep(entry, step), ...(ends ? { leave } : {}) };
}

function recordIn(sessionId: string, record: PeerRecord): Pick<PlannedStep, "peer"> {
  return { peer: { sessionId, record, includeAncestors: true } };
}

/** An earlier session of the peer goes on. It is as old as its last message: the policy goes by real activity. */
export function planRecovery(
  beginning: Beginning,
  found: KeyedSession,
  standing: SessionStanding,
  old: RoutingEntry | undefined,
): LeadingStep {
  const { sessionKey, source, now } = beginning;
  const { sessionId } = found;
  const fresh = freshEntry({ ...beginning, sessionId });
  const entry: RoutingEntry = {
    ...fresh,
    createdAtSeconds: found.startedAtSeconds ?? 0,
    updatedAtSeconds: standing.activeAtSeconds ?? 0,
    history: old?.history ?? [],
  };
  const step: RouteStep = {
    atSeconds: now,
    what: "recovered",
    sessionId,
    ...(old && { previousSessionId: old.sessionId }),
    ...(found.endReason === null ? {} : { why: found.endReason }),
  };
  const record = recordOf(sessionKey, source);
  return { entry: withStep(entry, step), recover: sessionId, ...recordIn(sessionId, record) };
}

/** The same conversation in another segment, or in the same one after an accident. Nothing else of it changes. */
export function planContinuation(old: RoutingEntry, sessionId: string, why: string | null, now: number): LeadingStep {
  const moved = sessionId !== old.sessionId;
  const step: RouteStep = {
    atSeconds: now,
    what: moved ? "continued" : "reopened",
    sessionId,
    ...(moved && { previousSessionId: old.sessionId }),
    ...(why === null ? {} : { why }),
  };
  const entry = withStep({ ...old, sessionId }, step);
  const peer = old.origin && recordIn(sessionId, recordOf(old.sessionKey, old.origin));
  return { entry, recover: sessionId, ...peer };
}

/** A route that stood under an older spelling of its key. */
export function planUpgrade(old: RoutingEntry, sessionKey: string, source: MessageSource, now: number): LeadingStep {
  const { sessionId } = old;
  const step: RouteStep = { atSeconds: now, what: "upgraded_key", sessionId, why: old.sessionKey };
  const entry = withStep({ ...old, sessionKey, origin: source }, step);
  return { entry, replacesKey: old.sessionKey, ...recordIn(sessionId, recordOf(sessionKey, source)) };
}

/** Another session of the store in place of the one that a route leads to. */
export function planSwitch(old: RoutingEntry, target: string, source: MessageSource, now: number): LeadingStep {
  const { sessionKey, sessionId: previousSessionId, history } = old;
  const step: RouteStep = { atSeconds: now, what: "switched", sessionId: target, previousSessionId };
  const fresh = freshEntry({ sessionKey, source, sessionId: target, now });
  const entry = withStep({ ...fresh, displayName: old.displayName, origin: old.origin, history }, step);
  return {
    entry,
    leave: { sessionId: previousSessionId, reason: "session_switch" },
    reopen: target,
    ...recordIn(target, recordOf(sessionKey, source)),
  };
}

/** The same conversation under the id of a later segment; nothing is ended or reopened, and it is no activity. */
export function planAdvance(old: RoutingEntry, target: string, now: number): LeadingStep {
  const { sessionId: previousSessionId } = old;
  const step: RouteStep = { atSeconds: now, what: "advanced", sessionId: target, previousSessionId };
  return { entry: withStep({ ...old, sessionId: target }, step) };
}

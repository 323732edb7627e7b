import { RECOVERABLE_END_REASONS } from "@hermes/state-core";
import type { SessionStanding } from "@hermes/state-core";
import type { MemorySession, MemoryTables } from "./memory-tables.js";

const MARKERS = ["_branched_from", "_delegate_from", "_reset_from"];

export const isClosed = (session: MemorySession | undefined): boolean => session?.endReason === "compression";

export function isFork({ source, modelConfig, parentSessionId }: MemorySession): boolean {
  return (
    source === "tool" || MARKERS.some((marker) => modelConfig[marker] === parentSessionId && parentSessionId !== null)
  );
}

function continuations({ sessions }: MemoryTables, id: string): MemorySession[] {
  if (!isClosed(sessions.get(id))) return [];
  return [...sessions.values()].filter((child) => child.parentSessionId === id && !isFork(child));
}

/** The segments from a session to the end of its conversation. */
export function chainOf(tables: MemoryTables, id: string): string[] {
  const chain = [id];
  for (;;) {
    const children = continuations(tables, chain.at(-1)!);
    const next = children.sort((a, b) => rank(a) - rank(b) || b.startedAt - a.startedAt || b.order - a.order)[0];
    if (!next || chain.includes(next.id)) return chain;
    chain.push(next.id);
  }
}

const rank = (child: MemorySession): number => (isClosed(child) ? 0 : child.endedAt === null ? 1 : 2);

/** The segments before a session, the first one first, itself last. */
export function segmentsBefore({ sessions }: MemoryTables, id: string): string[] {
  const segments = [id];
  for (;;) {
    const first = sessions.get(segments[0]!);
    const parent = sessions.get(first?.parentSessionId ?? "");
    if (!first || !parent || !isClosed(parent) || isFork(first) || segments.includes(parent.id)) return segments;
    segments.unshift(parent.id);
  }
}

/** Every segment of a conversation. */
export function conversationOf(tables: MemoryTables, id: string): Set<string> {
  return new Set([...segmentsBefore(tables, id), ...chainOf(tables, id)]);
}

export function standingOf(tables: MemoryTables, sessionId: string): SessionStanding {
  const own = tables.sessions.get(sessionId);
  const nothing = { endReason: null, endedAtSeconds: null, activeAtSeconds: null, tipLive: false };
  if (!own) return { sessionId, state: "missing", tip: sessionId, spoken: false, pinned: false, ...nothing };
  const chain = chainOf(tables, sessionId);
  const tip = tables.sessions.get(chain.at(-1)!)!;
  const said = tables.messages.filter((message) => message.sessionId === tip.id);
  const state = isClosed(own) ? "closed" : own.endedAt === null ? "live" : "ended";
  const before = chain.at(-2);
  const rivals = before === undefined ? [] : continuations(tables, before).filter((child) => child.endedAt === null);
  return {
    sessionId,
    state,
    endReason: own.endReason,
    endedAtSeconds: own.endedAt,
    tip: tip.id,
    tipLive: isClosed(tip) ? continuations(tables, tip.id).length === 0 : tip.endedAt === null && rivals.length < 2,
    spoken: said.length > 0,
    pinned: tip.pinned,
    activeAtSeconds: said.length > 0 ? Math.max(...said.map(({ at }) => at)) : null,
  };
}

export const isRecoverable = (session: MemorySession): boolean => RECOVERABLE_END_REASONS.has(session.endReason ?? "");

import { isoTime, type JsonObject, type Session } from "@hermes/state-core";
import { shownLine } from "./shown-text.js";

/** What scroll and read say about a session. */
export function showSession(session: Session, rootId: string): JsonObject {
  return {
    session_id: session.id,
    title: shownLine(session.title),
    source: shownLine(session.source),
    model: shownLine(session.model),
    started_at: isoTime(session.startedAtSeconds) ?? null,
    ended_at: isoTime(session.endedAtSeconds) ?? null,
    message_count: session.messageCount ?? 0,
    ...(rootId !== session.id && { parent_session_id: rootId }),
  };
}

import type { SessionRow } from "@hermes/state-core";
import type { KeyedSession } from "../port/session-storage-port.js";

/** A row as the history of a route shows it; what cannot be read is null. */
export function keyedSession(row: SessionRow): KeyedSession {
  return {
    sessionId: row.id,
    sessionKey: row.sessionKey ?? null,
    parentSessionId: row.parentSessionId ?? null,
    startedAtSeconds: row.startedAtSeconds ?? null,
    endedAtSeconds: row.endedAtSeconds ?? null,
    endReason: row.endReason ?? null,
    title: row.title ?? null,
    messageCount: row.messageCount ?? 0,
    originJson: row.originJson ?? null,
    userId: row.userId ?? null,
    chatId: row.chatId ?? null,
    threadId: row.threadId ?? null,
  };
}

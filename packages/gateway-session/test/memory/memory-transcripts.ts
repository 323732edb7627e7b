import { StateError } from "@hermes/state-core";
import type { MessageReceipt, MessageRow, NewMessage, TranscriptMessage } from "@hermes/state-core";
import type { TranscriptStorage } from "../../src/sqlite/serve-transcripts.js";
import { chainOf, conversationOf, isClosed } from "./memory-lineage.js";
import type { MemoryMessage, MemorySession, MemoryTables } from "./memory-tables.js";

type Once = boolean | "platform-id";

function openSession(tables: MemoryTables, sessionId: string): MemorySession {
  const session = tables.sessions.get(sessionId);
  if (!session) throw new StateError("STATE_E_SESSION_NOT_FOUND", "no session", { sessionId });
  if (!isClosed(session)) return session;
  const tipId = chainOf(tables, sessionId).at(-1);
  if (tipId !== sessionId) throw new StateError("STATE_E_COMPRESSION_CLOSED", "closed", { sessionId, tipId });
  return Object.assign(session, { endedAt: null, endReason: null });
}

function storedAlready(tables: MemoryTables, id: string, message: NewMessage, once: Once): MemoryMessage | undefined {
  const where = once === false ? new Set([id]) : conversationOf(tables, id);
  const same = (row: MemoryMessage, key: "platformMessageId" | "messageUid"): boolean =>
    Boolean(message[key]) && row.message[key] === message[key];
  const found = tables.messages.filter(
    (row) => where.has(row.sessionId) && (same(row, "platformMessageId") || (once === true && same(row, "messageUid"))),
  );
  return found.find((row) => row.active) ?? found[0];
}

function addRow(tables: MemoryTables, sessionId: string, message: NewMessage, now: number): MessageReceipt {
  const at = message.timestampSeconds ?? now;
  const id = (tables.messages.at(-1)?.id ?? 0) + 1;
  tables.messages.push({ id, sessionId, message: { ...message }, at, active: message.active !== false });
  return { id, sessionId, timestampSeconds: at, existing: false };
}

function shown({ message, at, id }: MemoryMessage, withId: boolean): TranscriptMessage {
  const { role, content = null, platformMessageId } = message;
  const ids = { ...(withId && { id }), ...(platformMessageId && { platformMessageId }) };
  return { role, content, timestampSeconds: at, ...ids };
}

/** What was said, in memory. */
export function memoryTranscripts(tables: MemoryTables, now: () => number): TranscriptStorage {
  const rowsOf = (id: string): MemoryMessage[] =>
    tables.messages.filter(({ sessionId, active }) => sessionId === id && active);
  return {
    async append(sessionId, message, { once = false } = {}) {
      const found = storedAlready(tables, sessionId, message, once);
      if (found) return { id: found.id, sessionId: found.sessionId, timestampSeconds: found.at, existing: true };
      openSession(tables, sessionId);
      return addRow(tables, sessionId, message, now());
    },
    async conversation(sessionId, options = {}) {
      const known = tables.sessions.has(sessionId);
      const messages = rowsOf(sessionId).map((row) => shown(row, options.includeRowIds ?? false));
      return { sessionId, sessionIds: known ? [sessionId] : [], messages, damaged: [] };
    },
    async replace(sessionId, messages, mode) {
      openSession(tables, sessionId);
      const gone = mode === "all" ? tables.messages.filter((row) => row.sessionId === sessionId) : rowsOf(sessionId);
      if (mode === "archive-dropped") for (const row of gone) row.active = false;
      else for (const row of gone) tables.messages.splice(tables.messages.indexOf(row), 1);
      const receipts = messages.map((message) => addRow(tables, sessionId, message, now()));
      return { sessionId, removedCount: gone.length, messages, receipts };
    },
    async rewind(sessionId, turns) {
      const target = rowsOf(sessionId)
        .filter(({ message }) => message.role === "user")
        .slice(-turns)[0];
      if (!target) return null;
      openSession(tables, sessionId);
      const taken = rowsOf(sessionId).filter(({ id }) => id >= target.id);
      for (const row of taken) row.active = false;
      const { id, message, at } = target;
      const row = { id, sessionId, role: message.role, content: message.content ?? null, timestampSeconds: at };
      return { rewoundCount: taken.length, target: row as MessageRow, newHeadId: rowsOf(sessionId).at(-1)?.id ?? null };
    },
  };
}

import type { StateStore } from "@hermes/state-core";

/** A stored message, as far as importers decide it. */
export interface StoredMessage {
  readonly role: string;
  /** The beginning of its text; pictures by their type. */
  readonly text: string;
  readonly calls: readonly string[];
  readonly answers: string | null;
  /** "active", "compacted" or "left". */
  readonly state: string;
}

const MESSAGES = `
  SELECT role, content, tool_calls AS calls, tool_call_id AS answers, active, compacted
  FROM messages WHERE session_id = ? ORDER BY id`;

/** The ids of all sessions with their parents, sorted. */
export function sessionsOf(store: StateStore): { id: string; parent: string | null; title: string | null }[] {
  const sql = "SELECT id, parent_session_id AS parent, title FROM sessions ORDER BY id";
  return store.read((r) => r.all<{ id: string; parent: string | null; title: string | null }>(sql));
}

/** The messages of a session in their order. */
export function messagesOf(store: StateStore, id: string): StoredMessage[] {
  const stored = store.read((r) =>
    r.all<{
      role: string;
      content: string | null;
      calls: string | null;
      answers: string | null;
      active: number;
      compacted: number;
    }>(MESSAGES, [id]),
  );
  return stored.map(({ role, content, calls, answers, active, compacted }) => ({
    role,
    text: shown(content),
    calls: calls === null ? [] : (JSON.parse(calls) as { id: string }[]).map((call) => call.id),
    answers,
    state: active === 1 ? "active" : compacted === 1 ? "compacted" : "left",
  }));
}

function shown(content: string | null): string {
  if (content === null) return "";
  if (!content.startsWith("\0")) return content;
  const parts = JSON.parse(content.slice(content.indexOf(":") + 1)) as { type: string; text?: string }[];
  return parts.map(({ type, text }) => text ?? `[${type}]`).join(" ");
}

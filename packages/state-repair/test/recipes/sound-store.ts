import { createHash } from "node:crypto";
import { openStateStore } from "@hermes/state-core";
import { testClock } from "@hermes/testkit";
import Database from "better-sqlite3";

export const SESSIONS = 50;
export const MESSAGES_PER_SESSION = 13;

/** What a store held before it was damaged: the ids of each session's messages, and a hash over their cells. */
export interface Manifest {
  readonly sessions: Readonly<Record<string, { readonly messages: readonly number[]; readonly hash: string }>>;
}

/** Files whose pages are worth damaging are many pages long; `delete` leaves a rollback journal. */
export interface SoundOptions {
  readonly journal?: "wal" | "delete";
}

const WORDS = ["needle", "deploy", "flaky", "migration", "日本語の長い文章", "数据库修复", "한국어 검색", "emoji 👩‍👩‍👧"];

function bodyOf(session: number, index: number): string {
  const word = WORDS[(session + index) % WORDS.length] ?? "";
  return `${word} ${String(session)}-${String(index)} ` + "the index is disposable, the rows are the truth. ".repeat(6);
}

/** Builds a closed store through the product: text, CJK, tool calls and results, structured content, a long row. */
export function buildSoundStore(path: string, { journal = "wal" }: SoundOptions = {}): Manifest {
  using store = openStateStore({ path, journal, clock: testClock() });
  for (let session = 0; session < SESSIONS; session++) {
    const id = `20260101_0000${String(session).padStart(2, "0")}_deadbeef`;
    store.sessions.create({ id, source: session % 5 === 4 ? "telegram" : "cli", title: `Session ${String(session)}` });
    const messages = Array.from({ length: MESSAGES_PER_SESSION }, (_, index) => messageOf(session, index));
    store.messages.appendBatch(id, messages);
  }
  store.meta.set("note", "kept");
  store.close();
  return readManifest(path);
}

function messageOf(
  session: number,
  index: number,
): Parameters<ReturnType<typeof openStateStore>["messages"]["append"]>[1] {
  const content = bodyOf(session, index);
  const timestampSeconds = 1_700_000_000 + session * 1000 + index;
  if (index % 6 === 3) {
    const toolCalls = [
      { id: `c${String(index)}`, type: "function", function: { name: "grep", arguments: '{"q":"x"}' } },
    ];
    return { role: "assistant", content: null, toolCalls, timestampSeconds };
  }
  if (index % 6 === 4) return { role: "tool", toolName: "grep", toolCallId: "c3", content, timestampSeconds };
  if (index % 6 === 5) return { role: "user", content: [{ type: "text", text: content }], timestampSeconds };
  // Longer than a page, so that it has an overflow chain.
  const long = session === 7 && index === 0 ? content.repeat(40) : content;
  return { role: index % 2 === 0 ? "user" : "assistant", content: long, timestampSeconds };
}

/** Reads the manifest of a file that can be read, from its tables and never from an index. */
export function readManifest(path: string): Manifest {
  const database = new Database(path);
  try {
    const rows = database.prepare(ROWS).raw().all() as [string, number, ...unknown[]][];
    const sessions: Record<string, { messages: number[]; hash: string }> = {};
    for (const [id] of database.prepare("SELECT id FROM sessions NOT INDEXED ORDER BY id").raw().all() as [string][]) {
      sessions[id] = { messages: [], hash: "" };
    }
    for (const [session, id, ...cells] of rows) {
      const entry = (sessions[session] ??= { messages: [], hash: "" });
      entry.messages.push(id);
      entry.hash = createHash("sha256").update(entry.hash).update(JSON.stringify(cells)).digest("hex");
    }
    return { sessions };
  } finally {
    database.close();
  }
}

const ROWS = `
  SELECT session_id, id, role, content, tool_name, tool_calls, tool_call_id, timestamp FROM messages NOT INDEXED ORDER BY id`;

import { openStateStore } from "@hermes/state-core";
import Database from "better-sqlite3";

/** How much a sample store holds. */
export interface SampleSize {
  readonly sessions: number;
  readonly messages: number;
}

/** The epoch second at which sample stores begin. */
export const SAMPLE_START = 1_750_000_000;

const WORDS = "river stone café 日本語 build error retry deploy 🙂 queue token".split(" ");

/** Text of a length that varies from one message to the next; some of them need overflow pages. */
export function sampleText(session: number, message: number): string {
  const long = message % 7 === 3 ? 1400 : (session * 7 + message * 5) % 40;
  const words = Array.from({ length: long }, (_, at) => WORDS[(at + session + message) % WORDS.length]);
  return `message ${message} of session ${session} ${words.join(" ")}`;
}

/** Writes a store with conversations, usage, prompts, routing and rewound rows, and closes it. */
export function makeSampleStore(path: string, { sessions, messages }: SampleSize): void {
  const clock = tickingClock();
  const store = openStateStore({ path, clock });
  try {
    for (let session = 0; session < sessions; session += 1) {
      const id = `20260101_000000_${String(session).padStart(4, "0")}`;
      store.sessions.create({
        id,
        source: "cli",
        title: `title ${session}`,
        model: "model-a",
        systemPrompt: "be kind",
      });
      store.messages.appendBatch(
        id,
        Array.from({ length: messages }, (_, at) => ({
          role: at % 2 === 0 ? "user" : "assistant",
          content: sampleText(session, at),
          timestampSeconds: SAMPLE_START + session * 1000 + at + 0.25,
        })),
      );
      store.usage.record(id, { inputTokens: 10 + session, outputTokens: 5, model: "model-a" });
    }
    store.meta.set("goal:x", "kept");
  } finally {
    store.close();
  }
}

function tickingClock(): { now(): number; monotonicMs(): number; sleep(ms: number): void } {
  let at = SAMPLE_START;
  return {
    now: () => (at += 0.5),
    monotonicMs: () => at * 1000,
    sleep: (ms) => {
      at += ms / 1000;
    },
  };
}

/** Every row of a table as stored, by key. */
export function readRows(path: string, table: string, key: string): Map<unknown, Record<string, unknown>> {
  const database = new Database(path);
  try {
    const rows = database.prepare(`SELECT * FROM "${table}" ORDER BY "${key}"`).all() as Record<string, unknown>[];
    return new Map(rows.map((row) => [row[key], row]));
  } finally {
    database.close();
  }
}

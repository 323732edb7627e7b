import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { Progress, StateError, StateStore } from "@hermes/state-core";
import { importInto } from "@hermes/state-portability";
import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { exported, open } from "./support.js";

const SESSIONS = 500;
const EACH = 200;
const MESSAGES = SESSIONS * EACH;
const EVERY_SESSION = { includeChildren: true, archived: "include", hidden: "include" } as const;

/** An export of a hundred thousand short messages, made without a store that holds them. */
async function writeMany(store: StateStore, path: string): Promise<void> {
  const [header = ""] = (await exported(store, { format: "jsonl" })).text.split("\n");
  const lines = [header];
  for (let s = 0; s < SESSIONS; s++) {
    const session = `s${String(s).padStart(3, "0")}`;
    const row = { source: "cli", started_at: 1_700_000_000 + s, message_count: EACH };
    lines.push(JSON.stringify({ type: "session", id: session, counts: { message: EACH }, row }));
    for (let n = 0; n < EACH; n++) {
      const message = { id: s * EACH + n + 1, role: n % 2 ? "assistant" : "user", content: `common ${s} ${n}` };
      lines.push(JSON.stringify({ type: "message", session, row: { ...message, timestamp: 1_700_000_000 + n } }));
    }
  }
  const body = `${lines.join("\n")}\n`;
  const sha256 = createHash("sha256").update(body).digest("hex");
  const counts = { session: SESSIONS, message: MESSAGES, usage: 0, daily_usage: 0 };
  writeFileSync(path, `${body}${JSON.stringify({ type: "footer", counts, sha256 })}\n`);
}

/** What a store holds, and what its index answers after the engine has compared it with the rows. */
function holdings(store: StateStore): { messages: number; partial: number; found: number; markers: number } {
  return store.write("check an index", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"]) {
      w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    }
    const count = (sql: string): number => w.get<{ n: number }>(`SELECT COUNT(1) AS n FROM ${sql}`)?.n ?? -1;
    return {
      messages: count("messages"),
      partial: count(`(SELECT 1 FROM messages GROUP BY session_id HAVING COUNT(1) <> ${EACH})`),
      found: count("messages_fts WHERE messages_fts MATCH 'common'"),
      markers: count("state_meta WHERE key LIKE 'fts_rebuild%'"),
    };
  });
}

const importing = (seen: readonly Progress[]): number[] =>
  seen.filter(({ phase }) => phase === "importing").map(({ done }) => done);

describe("an import of a hundred thousand messages", () => {
  it(
    "POR-02 is stopped on the way: whole sessions stay, and a second run brings in the rest",
    { timeout: 300_000 },
    async () => {
      using home = tempHome();
      using store = open(home.statePath);
      const file = home.file("many.jsonl");
      await writeMany(store, file);
      const stop = new AbortController();
      const seen: Progress[] = [];
      const onProgress = (progress: Progress): void => {
        seen.push(progress);
        if (progress.phase === "importing" && progress.done >= 30_000) stop.abort(new Error("enough"));
      };
      const first = importInto(store, file, { onProgress, signal: stop.signal });
      await expect(first).rejects.toMatchObject({ code: "STATE_E_ABORTED" });
      const { imported } = await first.catch((error: unknown) => (error as StateError).facts as { imported: number });
      const stopped = holdings(store);
      expect(importing(seen).at(-1)).toBeLessThan(31_000);
      expect(imported).toBeGreaterThan(100);
      expect(store.sessions.count(EVERY_SESSION)).toBe(imported);
      expect(stopped).toEqual({ messages: imported * EACH, partial: 0, found: imported * EACH, markers: 0 });

      const again: Progress[] = [];
      const report = await importInto(store, file, { onProgress: (progress) => void again.push(progress) });
      expect(report).toMatchObject({ imported: SESSIONS - imported, skipped: imported, failed: 0 });
      expect(holdings(store)).toEqual({ messages: MESSAGES, partial: 0, found: MESSAGES, markers: 0 });
      const told = importing(again);
      expect(told).toEqual([...told].sort((a, b) => a - b));
      expect(told.at(-1)).toBe(MESSAGES);
      expect(told.length).toBeGreaterThan(MESSAGES / 1000);
      expect(again.filter(({ phase }) => phase === "reading").length).toBeGreaterThan(100);
    },
  );
});

import { statSync } from "node:fs";
import { describePython, openPeerDatabase, startPythonPeer, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { checkIndexes, wrongCounters } from "./support/dump-store.js";
import { openTestStore } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const DAY = 86_400;
const SESSIONS = 1_000;
const PER_SESSION = 20;
const SURVIVORS = 50;

const WORDS = Array.from({ length: 400 }, (_, index) => `w${(index * 7919).toString(36)}`);

function conversation(random: TestRandom, timestampSeconds: number): { role: string; content: string }[] {
  return Array.from({ length: PER_SESSION }, (_, turn) => ({
    timestampSeconds,
    role: turn % 2 ? "assistant" : "user",
    content: Array.from({ length: 12 }, () => random.pick(WORDS)).join(" "),
  }));
}

/** Sessions `from` to `to`, of which the first 50 are recent; the same for the same numbers. */
function fill(store: StateStore, now: number, to: number): void {
  for (let index = 0; index < to; index++) {
    const id = `s${String(index)}`;
    const startedAtSeconds = now - (index < SURVIVORS ? 1 : 100) * DAY;
    store.sessions.create({ id, source: "cli", startedAtSeconds });
    store.messages.appendBatch(id, conversation(testRandom(index), startedAtSeconds));
    store.sessions.end(id, "done", { atSeconds: startedAtSeconds });
  }
}

const SURVIVING = `
  SELECT s.*, m.* FROM sessions AS s JOIN messages AS m ON m.session_id = s.id
  WHERE CAST(substr(s.id, 2) AS INTEGER) < ? ORDER BY m.id`;

function survivors(store: StateStore): string {
  return JSON.stringify(store.read((r) => r.tuples(SURVIVING, [SURVIVORS])));
}

const COUNTS = `
  SELECT (SELECT COUNT(*) FROM messages) AS messages, (SELECT COUNT(*) FROM messages_fts_docsize) AS words,
    (SELECT COUNT(*) FROM messages_fts_trigram_docsize) AS trigrams`;

function counts(store: StateStore): unknown {
  return store.read((r) => r.get(COUNTS));
}

/** Size of the file once nobody has it open. */
function closedSize({ store, path }: Pick<TestStore, "store" | "path">): number {
  store.close();
  return statSync(path).size;
}

describe("growth", () => {
  it("P23 COR-33 20,000 messages, 950 of 1,000 sessions pruned, the file as small as if they had never been", () => {
    using test = openTestStore();
    using fresh = openTestStore();
    const now = test.clock.now();
    test.store.close();
    const options = { path: test.path, clock: test.clock, durability: "normal" } as const;
    const store = openStateStore(options);
    fill(store, now, SESSIONS);
    fill(fresh.store, now, SURVIVORS);
    const before = survivors(store);

    const dry = store.retention.prune({}, { dryRun: true });
    expect(dry).toMatchObject({ messages: (SESSIONS - SURVIVORS) * PER_SESSION });
    expect(dry.sessions).toHaveLength(SESSIONS - SURVIVORS);
    expect(store.retention.prune({})).toEqual({ ...dry, dryRun: false });
    store.retention.vacuum();

    const left = SURVIVORS * PER_SESSION;
    expect(counts(store)).toEqual({ messages: left, words: left, trigrams: left });
    expect(store.retention.orphans()).toEqual({ messages: 0, sessions: [] });
    expect(survivors(store)).toBe(before);
    checkIndexes(store);
    expect(wrongCounters(store)).toEqual([]);
    expect(store.read((r) => r.get("PRAGMA integrity_check"))).toEqual({ integrity_check: "ok" });
    expect(closedSize({ store, path: test.path })).toBeLessThanOrEqual(closedSize(fresh) * 1.5);
  }, 120_000);
});

describePython("messages without a session", () => {
  it("P23 COR-33 are reported and removable, with all that the indexes hold of them", async () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "kept", source: "cli" });
    store.messages.append("kept", { role: "user", content: "kept kumquat" });
    const sources = { lost: "cli", "lost-cron": "cron", "lost-tool": "cli" };
    for (const [id, source] of Object.entries(sources)) {
      store.sessions.create({ id, source });
      const role = id === "lost-tool" ? "tool" : "user";
      const batch = Array.from({ length: id === "lost" ? 5_000 : 10 }, () => ({ role, content: "lost kumquat" }));
      store.messages.appendBatch(id, batch);
    }
    store.sessions.create({ id: "branch", source: "cli", parentSessionId: "lost" });
    {
      // Foreign keys are off in Python by default: nothing stops such a deletion.
      await using peer = await startPythonPeer();
      const db = await openPeerDatabase(peer, test.path);
      await db.sql("PRAGMA foreign_keys = OFF");
      await db.sql("DELETE FROM sessions WHERE id LIKE 'lost%'");
    }
    const report = {
      messages: 5_020,
      sessions: [
        { sessionId: "lost", messages: 5_000 },
        { sessionId: "lost-cron", messages: 10 },
        { sessionId: "lost-tool", messages: 10 },
      ],
    };
    expect(store.retention.orphans()).toEqual(report);
    expect(() => {
      checkIndexes(store);
    }).toThrow();
    expect(store.retention.removeOrphans({ dryRun: true })).toEqual(report);
    expect(counts(store)).toMatchObject({ messages: 5_021 });
    expect(store.retention.removeOrphans()).toEqual(report);
    expect(store.retention.orphans().messages).toBe(0);
    expect(counts(store)).toEqual({ messages: 1, words: 1, trigrams: 1 });
    checkIndexes(store);
    expect(store.read((r) => r.all("PRAGMA foreign_key_check"))).toEqual([]);
    expect(store.sessions.count({ includeChildren: true })).toBe(2);
    expect(() => store.retention.removeOrphans({ dry: true } as never)).toThrow(TypeError);
  }, 60_000);
});

import { buildOldStore, tempHome, testClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { SessionDB } from "../src/session-db/index.js";
import { openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

const plain = (row: unknown): Record<string, unknown> => row as Record<string, unknown>;

function talk(rows: "camel" | "peer" = "camel"): TestDb {
  const test = openSessionDb({ rows });
  const { db, clock } = test;
  for (const [id, source] of [
    ["s1", "cli"],
    ["s2", "telegram"],
  ] as const) {
    db.createSession(id, source, { model: "m1" });
    for (const [role, text] of [
      ["user", "open the harbour gate"],
      ["assistant", "the gate is open"],
      ["user", "thanks"],
    ] as const) {
      clock.advance(1_000);
      db.appendMessage(id, role, text);
    }
  }
  return test;
}

describe("searching the one-object store", () => {
  it("CPT-01 finds messages with their neighbours, with the keys of the old program", () => {
    using test = talk("peer");
    const [hit] = test.db.searchMessages("gate", ["cli"], null, ["assistant"]).map(plain);
    expect(Object.keys(hit ?? {})).toEqual([
      "id",
      "session_id",
      "role",
      "snippet",
      "timestamp",
      "tool_name",
      "source",
      "model",
      "session_started",
      "context",
    ]);
    expect(hit).toMatchObject({ id: 2, session_id: "s1", source: "cli", model: "m1", session_started: 1_700_000_000 });
    expect(hit?.["context"]).toEqual([
      { role: "user", content: "open the harbour gate" },
      { role: "assistant", content: "the gate is open" },
      { role: "user", content: "thanks" },
    ]);
  });

  it("CPT-01 takes its arguments in the old order, by name, and both", () => {
    using test = talk();
    const { db } = test;
    type Search = (query: string | null, ...args: readonly unknown[]) => readonly { readonly id?: number }[];
    const search = db.searchMessages.bind(db) as Search;
    const found: Search = (...args) => search(...args).map((hit) => hit.id) as never;
    expect(found("gate", { sort: "newest" })).toEqual([5, 4, 2, 1]);
    expect(found("gate", null, ["telegram"], null, 20, 0, "oldest")).toEqual([1, 2]);
    expect(found("gate", { sort: "oldest", limit: 2, offset: 1 })).toEqual([2, 4]);
    expect(found("gate", { roleFilter: [], limit: -1 })).toHaveLength(4);
    expect([found("gate", { sourceFilter: [] }), found("gate", { limit: 0 }), found(""), found(null)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    db.rewindToMessage("s2", 4);
    expect(found("gate", { sort: "oldest" })).toEqual([1, 2]);
    expect(found("gate", { sort: "oldest", includeInactive: true })).toEqual([1, 2, 4, 5]);
  });

  it("CPT-01 shows only the fields that were asked for, in either spelling", () => {
    using test = talk();
    const { db } = test;
    expect(db.searchMessages("thanks", { fields: ["session_id", "id"], sourceFilter: ["cli"] })).toEqual([
      { id: 3, sessionId: "s1" },
    ]);
    expect(db.searchMessages("thanks", { fields: [], sourceFilter: ["cli"] })).toEqual([{}]);
    expect(() => db.searchMessages("thanks", { fields: "id" as never })).toThrow(TypeError);
    expect(() => db.searchMessages("thanks", { fields: ["b", "id", "a"] })).toThrow(RangeError);
    expect(() => db.searchMessages("thanks", { field: ["id"] } as never)).toThrow(TypeError);
  });

  it("CPT-01 shows a message with both ends of its session, and what the user said last", () => {
    using test = talk("peer");
    const { db } = test;
    const view = plain(db.getAnchoredView("s1", 2, 0, 1));
    expect(view).toMatchObject({ messages_before: 0, messages_after: 0, window: [{ id: 2, session_id: "s1" }] });
    expect(view["bookend_start"]).toMatchObject([{ id: 1 }]);
    expect(view["bookend_end"]).toMatchObject([{ id: 3 }]);
    expect(db.getAnchoredView("s1", 2, { window: 1, keepRoles: null }).window).toHaveLength(3);
    expect(db.getAnchoredView("s2", 2).window).toEqual([]);
    expect(db.listRecentUserMessages("s1").map(plain)).toMatchObject([{ id: 3, preview: "thanks" }, { id: 1 }]);
    expect(db.listRecentUserMessages("s1", 1).map(plain)).toEqual([
      { id: 3, timestamp: 1_700_000_003, preview: "thanks" },
    ]);
    expect(db.listRecentUserMessages("none")).toEqual([]);
  });
});

describe("the search indexes of the one-object store", () => {
  it("CPT-01 have nothing to do in a new file, and are merged and rebuilt on request", async () => {
    using test = talk();
    const { db } = test;
    expect([db.ftsRebuildStatus(), db.ftsRebuildStep(), db.ftsOptimizeAvailable()]).toEqual([null, false, false]);
    expect([db.ftsCjkRebuildStatus(), db.ftsCjkRebuildStep()]).toEqual([null, false]);
    expect(db.optimizeFts()).toBe(2);
    expect(await db.rebuildFts()).toBe(2);
    expect(db.searchMessages("harbour")).toHaveLength(2);
  });

  it("CPT-01 are stepped on, and searches are whole meanwhile", () => {
    using test = talk("peer");
    const { db } = test;
    db.store.write("forget the index", (w) => {
      w.exec("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')");
      w.exec("INSERT INTO messages_fts_trigram (messages_fts_trigram) VALUES ('delete-all')");
    });
    db.setMeta("fts_rebuild_high_water", "6");
    db.setMeta("fts_rebuild_progress", "0");
    db.setMeta("fts_cjk_rebuild_high_water", "6");
    db.setMeta("fts_cjk_rebuild_progress", "3");
    expect(db.ftsRebuildStatus()).toEqual({ pending: true, indexed: 0, total: 6, percent: 0 });
    expect(db.ftsCjkRebuildStatus()).toEqual({ pending: true, indexed: 3, total: 6, percent: 50 });
    expect(db.searchMessages("harbour")).toHaveLength(2);
    let steps = 0;
    while (db.ftsRebuildStep()) expect((steps += 1)).toBeLessThan(10);
    expect(db.ftsRebuildStatus()).toBeNull();
    expect(db.searchMessages("harbour")).toHaveLength(2);
  });

  it("CPT-01 of an old file are brought to the newest layout, and say where they are", async () => {
    using home = tempHome();
    buildOldStore(home.statePath, 20);
    using db = new SessionDB(home.statePath, { clock: testClock() });
    db.createSession("s1", "cli");
    db.appendMessage("s1", "user", "an old harbour");
    expect(db.ftsOptimizeAvailable()).toBe(true);
    const phases: string[] = [];
    const told = await db.optimizeFtsStorage({ vacuum: false, progressCb: ({ phase }) => phases.push(phase) });
    expect([told, phases.at(-1)]).toEqual([{ ok: true, vacuumed: null }, "done"]);
    expect(db.ftsOptimizeAvailable()).toBe(false);
    expect(db.searchMessages("harbour")).toHaveLength(1);
    using reading = new SessionDB(home.statePath, { readOnly: true });
    expect(await reading.optimizeFtsStorage()).toEqual({ ok: false, vacuumed: null, reason: "read_only" });
    await expect(db.optimizeFtsStorage({ progress: 1 } as never)).rejects.toThrow(TypeError);
  });
});

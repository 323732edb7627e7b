import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileMode } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { checkIndexes } from "./support/dump-store.js";
import { openTestStore, sql } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const DAY = 86_400;
const HOLDER = `pid=${String(process.pid)}:tid=1:agent=ab:nonce=00000000`;

function flags(store: StateStore): Record<string, number> {
  const rows = store.read((r) =>
    r.all<{ id: string; flag: number }>("SELECT id, archived * 2 + auto_archived AS flag FROM sessions ORDER BY id"),
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.flag]));
}

/** A session last active so many days ago. */
function idle({ store, clock }: TestStore, id: string, days: number, fields: object = {}): void {
  const startedAtSeconds = clock.now() - days * DAY;
  store.sessions.create({ id, source: "cli", startedAtSeconds, ...fields });
}

describe("archiving by a filter", () => {
  it("COR-33 COR-30 puts ended conversations aside, all segments of them, by their last segment", () => {
    using test = openTestStore();
    const { store } = test;
    idle(test, "root", 200);
    store.sessions.end("root", "compression");
    idle(test, "tip", 100, { parentSessionId: "root" });
    idle(test, "open", 100);
    idle(test, "recent", 1);
    idle(test, "pinned", 100);
    store.sessions.setFlag("pinned", "pinned", true);
    for (const id of ["tip", "recent", "pinned"]) store.sessions.end(id, "done");
    const dry = store.retention.archive({ olderThanDays: 90 }, { dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, sessions: ["tip"], spared: { open: 1, pinned: 1 } });
    expect(flags(store)["tip"]).toBe(0);
    expect(store.retention.archive({ olderThanDays: 90 })).toEqual({ ...dry, dryRun: false });
    expect(flags(store)).toEqual({ open: 0, pinned: 0, recent: 0, root: 2, tip: 2 });
    expect(store.retention.archive({ olderThanDays: 90 }).sessions).toEqual([]);
    // The earlier segment alone is never what a filter finds.
    expect(store.retention.archive({ endReason: "compression" }).sessions).toEqual([]);
  });

  it("COR-33 refuses to archive everything, and what it does not know", () => {
    using test = openTestStore();
    const { retention } = test.store;
    for (const filter of [{}, { archived: "include" }, { olderThan: 5 }]) {
      expect(() => retention.archive(filter as never)).toThrow(TypeError);
    }
    expect(() => retention.archive({ olderThanDays: -1 })).toThrow(RangeError);
  });
});

describe("archiving what is idle", () => {
  it("COR-33 COR-30 takes open sessions too, by the last segment; a message brings the conversation back", () => {
    using test = openTestStore();
    const { store } = test;
    idle(test, "root", 200);
    store.sessions.end("root", "compression");
    idle(test, "tip", 5, { parentSessionId: "root" });
    idle(test, "busy-root", 200);
    store.sessions.end("busy-root", "compression");
    idle(test, "busy-tip", 1, { parentSessionId: "busy-root" });
    idle(test, "ended", 50);
    store.sessions.end("ended", "done");
    idle(test, "pinned", 50);
    store.sessions.setFlag("pinned", "pinned", true);
    idle(test, "used", 50);
    store.leases.acquire("turn", "used", { holder: HOLDER });
    idle(test, "by-hand", 50);
    store.sessions.setFlag("by-hand", "archived", true);
    idle(test, "unknown", 50);
    sql(store, "UPDATE sessions SET started_at = 'x' WHERE id = 'unknown'");
    for (const age of [undefined, -1, Number.NaN]) expect(store.retention.archiveStale(age)).toBe(0);
    expect(store.retention.archiveStale(3)).toBe(2);
    expect(flags(store)).toEqual({
      "busy-root": 0,
      "busy-tip": 0,
      "by-hand": 2,
      ended: 3,
      pinned: 0,
      root: 3,
      tip: 3,
      unknown: 0,
      used: 0,
    });
    store.sessions.end("tip", "compression");
    store.sessions.create({ id: "next", source: "cli", parentSessionId: "tip" });
    expect(flags(store)).toMatchObject({ root: 0, tip: 0, next: 0 });
    expect(store.retention.archiveStale(3)).toBe(0);
  });
});

describe("sessions that were never active", () => {
  function lay(test: TestStore): void {
    const { store, clock } = test;
    const old = { source: "telegram", startedAtSeconds: clock.now() - 31 * DAY };
    const keyed = (id: string, fields: object = {}): void => {
      store.sessions.create({ id, sessionKey: `k:${id}`, ...old, ...fields });
    };
    keyed("ghost");
    keyed("ghost2");
    keyed("young", { startedAtSeconds: clock.now() - 29 * DAY });
    keyed("spoke");
    sql(store, "INSERT INTO messages (session_id, role, timestamp, active) VALUES ('spoke', 'user', 1, 0)");
    keyed("ended");
    store.sessions.end("ended", "done");
    keyed("titled");
    store.titles.set("titled", "x");
    keyed("touched");
    store.sessions.touch("touched");
    for (const column of ["message_count", "tool_call_count", "api_call_count", "input_tokens", "output_tokens"]) {
      keyed(column);
      sql(store, `UPDATE sessions SET ${column} = 1 WHERE id = ?`, column);
    }
    for (const flag of ["pinned", "archived"] as const) {
      keyed(flag);
      store.sessions.setFlag(flag, flag, true);
    }
    keyed("parent");
    store.sessions.create({ id: "child", parentSessionId: "parent", ...old });
    store.sessions.create({ id: "keyless", ...old });
    keyed("used");
    store.leases.acquire("turn", "used", { holder: HOLDER });
    keyed("unknown");
    sql(store, "UPDATE sessions SET started_at = 'x' WHERE id = 'unknown'");
    const entry = "INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, 1)";
    sql(store, entry, "g", "k:ghost", '{"session_id": "ghost", "x": 1}');
    sql(store, entry, "g", "other", '{"session_id":"ghost"}');
    sql(store, entry, "g", "k:young", '{"session_id": "young"}');
    sql(store, entry, "g", "broken", "{session_id: ghost");
    sql(store, entry, "g", "ghost", '{"session_id": "young", "was": "ghost"}');
  }

  it("COR-34 go with the routes that name them, and no other row does; a dry run says the same", () => {
    using test = openTestStore();
    const { store } = test;
    lay(test);
    const before = store.sessions.count({ includeChildren: true, archived: "include" });
    const dry = store.retention.neverActive({ dryRun: true });
    expect(dry).toEqual({
      dryRun: true,
      sessions: ["ghost", "ghost2"],
      routes: [
        { scope: "g", sessionKey: "k:ghost", sessionId: "ghost" },
        { scope: "g", sessionKey: "other", sessionId: "ghost" },
      ],
    });
    expect(store.sessions.count({ includeChildren: true, archived: "include" })).toBe(before);
    expect(store.retention.neverActive()).toEqual({ ...dry, dryRun: false });
    expect(store.sessions.count({ includeChildren: true, archived: "include" })).toBe(before - 2);
    const routes = store.read((r) => r.all<{ key: string }>("SELECT session_key AS key FROM gateway_routing ORDER BY 1"));
    expect(routes.map(({ key }) => key)).toEqual(["broken", "ghost", "k:young"]);
    expect(store.retention.neverActive()).toEqual({ dryRun: false, sessions: [], routes: [] });
    expect(store.retention.neverActive({ olderThanDays: 28 }).sessions).toEqual(["young"]);
  });

  it("COR-34 refuses an age that lies ahead, and what it does not know", () => {
    using test = openTestStore();
    const { retention } = test.store;
    expect(() => retention.neverActive({ olderThanDays: -1 })).toThrow(RangeError);
    expect(() => retention.neverActive({ olderThan: 1 } as never)).toThrow(TypeError);
    expect(() => retention.neverActive({ olderThanDays: "30" } as never)).toThrow(TypeError);
  });
});

describe("placeholder texts", () => {
  const call = (name: string): object => ({ id: name, type: "function", function: { name, arguments: "{}" } });

  function lay(store: StateStore): void {
    store.sessions.create({ id: "s", source: "cli" });
    // Written past the encoder, as older writers did.
    const rows: [string, string, string | null][] = [
      ["assistant", "[read_file]", JSON.stringify([call("read_file")])],
      ["assistant", " [grep]\n", JSON.stringify([call("other"), call("grep")])],
      ["assistant", "[read_file] and more", JSON.stringify([call("read_file")])],
      ["assistant", "[something]", JSON.stringify([call("read_file")])],
      ["assistant", "[read_file]", null],
      ["user", "[read_file]", JSON.stringify([call("read_file")])],
      ["assistant", "[broken]", "{"],
    ];
    for (const row of rows) {
      sql(store, "INSERT INTO messages (session_id, role, content, tool_calls, timestamp, active) VALUES ('s', ?, ?, ?, 1, 1)", ...row);
    }
  }

  const contents = (store: StateStore): unknown[] =>
    store.read((r) => r.all<{ content: string }>("SELECT content FROM messages ORDER BY id")).map((row) => row.content);

  it("COR-33 are emptied where a message is nothing else, after a private copy of the store was made", () => {
    using test = openTestStore();
    const { store } = test;
    lay(store);
    const before = contents(store);
    expect(store.retention.purgeToolMarkers({ dryRun: true })).toEqual({
      dryRun: true,
      messageIds: [1, 2],
      backup: undefined,
    });
    expect(contents(store)).toEqual(before);
    const { messageIds, backup } = store.retention.purgeToolMarkers();
    expect(messageIds).toEqual([1, 2]);
    expect(contents(store)).toEqual(["", "", ...before.slice(2)]);
    checkIndexes(store);
    expect(backup).toMatch(/state\.db\.pre-clean-markers-backup-20231114_221320$/);
    expect(fileMode(backup!)).toBe(0o600);
    {
      using copy = openStateStore({ path: backup!, mode: "read" });
      expect(contents(copy)).toEqual(before);
    }
    expect(store.retention.purgeToolMarkers()).toEqual({ dryRun: false, messageIds: [], backup: undefined });
  });

  it("COR-33 a second copy of the same second has a name of its own, and none is made unasked", () => {
    using test = openTestStore();
    const { store } = test;
    lay(store);
    const first = store.retention.purgeToolMarkers().backup;
    sql(store, "UPDATE messages SET content = '[read_file]' WHERE id = 1");
    const second = store.retention.purgeToolMarkers().backup;
    expect(second).toBe(`${first!}-1`);
    sql(store, "UPDATE messages SET content = '[read_file]' WHERE id = 1");
    expect(store.retention.purgeToolMarkers({ backup: false })).toMatchObject({ messageIds: [1], backup: undefined });
    expect(readdirSync(dirname(test.path)).filter((name) => name.includes("backup"))).toHaveLength(2);
    expect(existsSync(second!)).toBe(true);
    expect(() => store.retention.purgeToolMarkers({ dry: true } as never)).toThrow(TypeError);
  });
});

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describePython, openPeerDatabase, startPythonPeer } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import type { StateStore } from "../src/index.js";
import { checkIndexes } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";

const HOLDER = `pid=${String(process.pid)}:tid=1:agent=ab:nonce=00000000`;

function add(store: StateStore, id: string, parent?: string, marker?: string): void {
  store.sessions.create({
    id,
    source: "cli",
    ...(parent !== undefined && { parentSessionId: parent }),
    ...(marker !== undefined && { modelConfig: { _delegate_from: marker } }),
  });
  store.messages.append(id, { role: "user", content: `words of ${id}` });
}

function close(store: StateStore, id: string): void {
  store.sessions.end(id, "compression");
}

function ids(store: StateStore): string[] {
  return store.read((r) => r.all<{ id: string }>("SELECT id FROM sessions ORDER BY id").map((row) => row.id));
}

describe("what a deletion takes", () => {
  it("COR-33 the session, its messages and its delegates' delegates; other children lose their parent", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "target");
    add(store, "d1", "target", "target");
    add(store, "d2", "d1", "d1");
    add(store, "lost", undefined, "d2");
    add(store, "branch", "target");
    add(store, "of-branch", "branch", "branch");
    sql(store, "UPDATE sessions SET model_config = '{\"_branched_from\": \"target\"}' WHERE id = 'branch'");
    expect(store.retention.getDeleteTargets("target")).toEqual(["target", "d1", "d2", "lost"]);
    expect(store.retention.delete("target")).toEqual({
      deleted: 1,
      sessions: ["target", "d1", "d2", "lost"],
      messages: 4,
      targetsChanged: false,
      files: { removed: 0, failed: 0 },
    });
    expect(ids(store)).toEqual(["branch", "of-branch"]);
    expect(store.sessions.get("branch").parentSessionId).toBeNull();
    expect(store.read((r) => r.get("SELECT COUNT(*) AS n FROM messages"))).toEqual({ n: 2 });
    checkIndexes(store);
  });

  it("COR-33 a ring of delegates ends, and takes no session that was not named", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "a");
    add(store, "b", "a", "a");
    sql(store, "UPDATE sessions SET parent_session_id = 'b', model_config = '{\"_delegate_from\": \"b\"}' WHERE id = 'a'");
    expect(store.retention.getDeleteTargets("a")).toEqual(["a", "b"]);
    expect(store.retention.getDeleteTargets(["b", "a"])).toEqual(["b", "a"]);
    add(store, "other");
    store.retention.delete("b");
    expect(ids(store)).toEqual(["other"]);
  });

  it("COR-33 a marked child with a stray marker goes along; a segment that inherited its marker does not", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "stray-parent");
    add(store, "stray", "stray-parent", "__orphaned__");
    expect(store.retention.getDeleteTargets("stray-parent")).toEqual(["stray-parent", "stray"]);
    add(store, "owner");
    add(store, "delegate", "owner", "owner");
    close(store, "delegate");
    add(store, "next", "delegate", "owner");
    expect(store.retention.getDeleteTargets("delegate")).toEqual(["delegate"]);
    expect(store.retention.getDeleteTargets("owner")).toEqual(["owner", "delegate", "next"]);
  });

  it("COR-33 the whole conversation when asked for, from any segment of it", () => {
    for (const from of ["root", "middle", "tip"]) {
      using test = openTestStore();
      const { store } = test;
      add(store, "root");
      close(store, "root");
      add(store, "middle", "root");
      close(store, "middle");
      add(store, "tip", "middle");
      add(store, "delegate", "tip", "tip");
      add(store, "branch", "root");
      sql(store, "UPDATE sessions SET model_config = '{\"_branched_from\": \"root\"}' WHERE id = 'branch'");
      const report = store.retention.delete(from, { includeLineage: true });
      expect(report).toMatchObject({ deleted: 1, messages: 4 });
      expect(report.sessions[0]).toBe(from);
      expect(ids(store)).toEqual(["branch"]);
    }
  });

  it("COR-33 nothing, when something else would go than was shown", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "target");
    const expected = store.retention.getDeleteTargets("target");
    add(store, "newcomer", "target", "target");
    const refused = store.retention.delete("target", { expected });
    expect(refused).toMatchObject({ deleted: 0, sessions: [], targetsChanged: true });
    expect(ids(store)).toEqual(["newcomer", "target"]);
    expect(store.retention.delete("target", { expected: ["newcomer", "target"] }).deleted).toBe(1);
  });

  it("COR-33 each named session once; unknown ones are skipped", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["a", "b", "c"]) add(store, id);
    expect(store.retention.delete(["a", "nope", "b", "a"])).toMatchObject({ deleted: 2, sessions: ["a", "b"] });
    expect(store.retention.delete([])).toMatchObject({ deleted: 0 });
    expect(store.retention.delete("nope")).toMatchObject({ deleted: 0, targetsChanged: false });
    expect(ids(store)).toEqual(["c"]);
  });

  it("COR-33 prompts go with the last session that uses them, usage with its session; leases and routes stay", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["a", "b"]) store.sessions.create({ id, source: "cli", systemPrompt: "shared", toolNames: ["t"] });
    store.sessions.create({ id: "c", source: "cli", systemPrompt: "own" });
    for (const id of ["a", "c"]) store.usage.record(id, { model: "m", inputTokens: 1, apiCallCount: 1 });
    sql(store, "INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES ('', 'k', '{}', 1)");
    const prompts = (): unknown => store.read((r) => r.all("SELECT prompt FROM system_prompts ORDER BY prompt"));
    store.retention.delete(["a", "c"]);
    expect(prompts()).toEqual([{ prompt: "shared" }]);
    expect(store.read((r) => r.all("SELECT session_id FROM session_model_usage"))).toEqual([]);
    store.retention.delete("b");
    expect(prompts()).toEqual([]);
    expect(store.read((r) => r.all("SELECT session_key FROM gateway_routing"))).toHaveLength(1);
  });
});

it("COR-33 COR-04 queued usage does not bring a deleted session back", () => {
  using test = openTestStore();
  const { store } = test;
  add(store, "a");
  store.usage.queue("a", { model: "m", inputTokens: 1 });
  store.retention.delete("a");
  store.usage.flush();
  expect(ids(store)).toEqual([]);
});

describePython("rows that another library indexed", () => {
  it("GND-07 COR-33 are deleted, and every index is right or declared stale", async () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "theirs", source: "cli" });
    add(store, "ours");
    {
      await using peer = await startPythonPeer();
      const db = await openPeerDatabase(peer, test.path);
      await db.append("theirs", { role: "user", content: [{ type: "text", text: "structured kumquat" }] });
    }
    expect(store.retention.delete("theirs")).toMatchObject({ deleted: 1, messages: 1 });
    expect(ids(store)).toEqual(["ours"]);
    if (store.meta.get("fts_stale") === undefined) checkIndexes(store);
    else expect(store.read((r) => r.all("SELECT name FROM sqlite_master WHERE name LIKE 'messages_fts%insert'"))).toEqual([]);
  });
});

describe("a session in use", () => {
  it("COR-33 COR-25 is not deleted, nor is anything else with it; the error says who uses it", () => {
    using test = openTestStore();
    const { store, clock } = test;
    add(store, "root");
    add(store, "child", "root");
    add(store, "free");
    store.leases.acquire("turn", "child", { holder: HOLDER });
    for (const id of ["root", "child"]) {
      const error = stateErrorOf(() => store.retention.delete(["free", id]));
      expect(error.code).toBe("STATE_E_SESSION_IN_USE");
      expect(error.facts).toEqual({ sessionId: id, kind: "turn", heldBy: HOLDER, bucket: "turn_lease" });
    }
    store.leases.acquire("compression", "free", { holder: HOLDER });
    const compacting = stateErrorOf(() => store.retention.delete("free"));
    expect(compacting.facts).toMatchObject({ sessionId: "free", kind: "compression", bucket: "compression" });
    expect(ids(store)).toEqual(["child", "free", "root"]);
    clock.advance(301_000);
    expect(store.retention.delete(["free", "root"]).deleted).toBe(2);
  });

  it("COR-33 COR-25 a delegate in use keeps its owner, a dead holder keeps nothing", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "owner");
    add(store, "delegate", "owner", "owner");
    store.leases.acquire("compression", "delegate", { holder: HOLDER });
    expect(stateErrorOf(() => store.retention.delete("owner")).facts).toMatchObject({ sessionId: "delegate" });
    sql(store, "UPDATE compression_locks SET holder = 'pid=999999999:tid=1:agent=ab:nonce=00000000'");
    expect(store.retention.delete("owner").deleted).toBe(1);
  });
});

describe("messages", () => {
  it("COR-33 leave both indexes while these can still see the session: cron, delegate and tool rows among them", () => {
    using test = openTestStore();
    const { store } = test;
    for (const [id, source] of [["plain", "cli"], ["cron", "cron"], ["sub", "subagent"]] as const) {
      store.sessions.create({ id, source });
      store.messages.appendBatch(id, [
        { role: "user", content: `大别山 words of ${id}` },
        { role: "tool", content: "x".repeat(9_000), toolName: "t" },
      ]);
    }
    add(store, "delegate", "plain", "plain");
    store.retention.delete(["plain", "cron", "sub"]);
    checkIndexes(store);
    expect(store.read((r) => r.get("SELECT COUNT(*) AS n FROM messages_fts_docsize"))).toEqual({ n: 0 });
    expect(store.read((r) => r.get("SELECT COUNT(*) AS n FROM messages_fts_trigram_docsize"))).toEqual({ n: 0 });
  });
});

describe("empty sessions", () => {
  it("COR-33 one is deleted only without message, title, child and user", () => {
    using test = openTestStore();
    const { store } = test;
    const { retention, sessions, titles, leases } = store;
    for (const id of ["empty", "titled", "parent", "used"]) sessions.create({ id, source: "cli" });
    titles.set("titled", "x");
    add(store, "child", "parent");
    add(store, "rewound");
    sql(store, "UPDATE messages SET active = 0 WHERE session_id = 'rewound'");
    sql(store, "UPDATE sessions SET message_count = 0 WHERE id = 'rewound'");
    leases.acquire("turn", "used", { holder: HOLDER });
    for (const id of ["titled", "parent", "child", "rewound", "used", "nope"]) {
      expect(retention.deleteIfEmpty(id), id).toBe(false);
    }
    expect(retention.deleteIfEmpty("empty")).toBe(true);
    expect(ids(store)).toEqual(["child", "parent", "rewound", "titled", "used"]);
  });

  it("COR-33 all of them: ended, without a message, neither archived nor pinned; the count is the same", () => {
    using test = openTestStore();
    const { store } = test;
    const { retention, sessions } = store;
    for (const id of ["a", "b", "open", "archived", "pinned"]) sessions.create({ id, source: "cli" });
    add(store, "full");
    for (const id of ["a", "b", "archived", "pinned", "full"]) sessions.end(id, "done");
    sessions.setFlag("archived", "archived", true);
    sessions.setFlag("pinned", "pinned", true);
    expect(retention.countEmpty()).toBe(2);
    expect(retention.deleteEmpty()).toBe(2);
    expect(retention.countEmpty()).toBe(0);
    expect(ids(store)).toEqual(["archived", "full", "open", "pinned"]);
  });
});

describe("files of deleted sessions", () => {
  function folderOf(path: string, names: readonly string[]): string {
    const folder = join(dirname(path), "sessions");
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, name), name);
    return folder;
  }

  it("COR-33 go after the rows, and only theirs: an id that begins like another one is another one", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["a", "a_b", "a_b_c", "sessions"]) add(store, id);
    const files = folderOf(test.path, [
      "a.json",
      "a.jsonl",
      "a.txt",
      "a_b.json",
      "request_dump_a_1.json",
      "request_dump_a_b_1.json",
      "request_dump_a_b_c_1.json",
      "request_dump_a_zzz.json",
      "request_dump_b_1.json",
      "sessions.json",
    ]);
    const report = store.retention.delete(["a", "a_b_c", "sessions"], { files });
    expect(report.files).toEqual({ removed: 5, failed: 0 });
    expect(readdirSync(files).sort()).toEqual([
      "a.txt",
      "a_b.json",
      "request_dump_a_b_1.json",
      "request_dump_b_1.json",
      "sessions.json",
    ]);
  });

  it("COR-33 lie in that folder and nowhere else, whatever an id says; what cannot be removed is counted", () => {
    using test = openTestStore();
    const { store } = test;
    const files = folderOf(test.path, ["kept.json"]);
    const outside = join(dirname(test.path), "outside.json");
    writeFileSync(outside, "x");
    symlinkSync(outside, join(files, "linked.json"));
    mkdirSync(join(files, "folder.json"));
    for (const id of ["../outside", "..", "linked", "folder", "kept"]) add(store, id);
    expect(store.retention.delete(["../outside", "..", "linked", "folder"], { files }).files).toEqual({
      removed: 1,
      failed: 1,
    });
    expect(readdirSync(files).sort()).toEqual(["folder.json", "kept.json"]);
    expect(readdirSync(dirname(test.path))).toContain("outside.json");
    expect(store.retention.delete("kept").files.removed).toBe(0);
    expect(store.retention.delete("kept", { files: join(files, "nope") }).files.removed).toBe(0);
  });

  it("COR-33 stay when the deletion is refused", () => {
    using test = openTestStore();
    const { store } = test;
    add(store, "a");
    const files = folderOf(test.path, ["a.json"]);
    store.leases.acquire("compression", "a", { holder: HOLDER });
    expect(stateErrorOf(() => store.retention.delete("a", { files })).code).toBe("STATE_E_SESSION_IN_USE");
    expect(readdirSync(files)).toEqual(["a.json"]);
  });
});

it("COR-33 refuses misuse by name", () => {
  using test = openTestStore();
  const { retention } = test.store;
  const calls: (() => unknown)[] = [
    () => retention.delete(5 as never),
    () => retention.delete([""]),
    () => retention.delete("a", { lineage: true } as never),
    () => retention.delete("a", { includeLineage: 1 } as never),
    () => retention.delete("a", { expected: "a" as never }),
    () => retention.delete("a", { files: "" }),
    () => retention.getDeleteTargets("a", { lineage: true } as never),
    () => retention.deleteIfEmpty(""),
  ];
  for (const call of calls) expect(call).toThrow(TypeError);
});

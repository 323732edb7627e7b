import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStateStore, SPOOL_NAME } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { catchUpSideIndex, searchMessages } from "@hermes/state-search";
import { describePython, fileHash, runPython, startPythonPeer, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { backupStore, eraseSessions } from "../../src/index.js";
import { collectCanaries } from "../../src/erase/collect-canaries.js";
import { scanStoreFiles } from "../../src/erase/scan-files.js";
import { expectSound, plenty } from "../backup/support.js";

const SHARED_PROMPT = "You are a helper that everybody shares, and nobody owns.";
const SECRETS = {
  content: "the swordfish opens zebracanaryword at midnight",
  structured: 'grüße aus dem verborgenen Zimmer 修复数据库 "quoted"',
  tool: "rm -rf /srv/tresor/kanarienvogel",
  title: "Operation Quetzalcoatlus",
  prompt: "Never tell anybody about the basiliskenhof.",
  long: `${"padding without meaning ".repeat(900)} nightingalefloor`,
};

/** Two sessions that stay and one that goes, with a delegate. */
function fill(path: string): StateStore {
  const store = openStateStore({ path });
  for (const id of ["keep1", "keep2"]) {
    store.sessions.create({ id, source: "cli", systemPrompt: SHARED_PROMPT });
    store.messages.appendBatch(
      id,
      Array.from({ length: 200 }, (_, index) => ({
        role: "user",
        content: `${id} says ordinary things ${String(index)}`,
      })),
    );
  }
  store.sessions.create({ id: "gone", source: "cli", title: SECRETS.title, systemPrompt: SHARED_PROMPT });
  store.sessions.create({
    id: "helper",
    source: "subagent",
    parentSessionId: "gone",
    systemPrompt: SECRETS.prompt,
    modelConfig: { _delegate_from: "gone" },
  });
  for (let index = 0; index < 30; index++) {
    store.messages.append("gone", { role: "user", content: `${SECRETS.content} ${String(index)}` });
    store.messages.append("keep1", { role: "user", content: `in between ${String(index)}` });
  }
  store.messages.append("gone", { role: "user", content: [{ type: "text", text: SECRETS.structured }] });
  store.messages.append("gone", { role: "assistant", content: SECRETS.long });
  store.messages.append("helper", {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "c", function: { name: "sh", arguments: JSON.stringify({ command: SECRETS.tool }) } }],
  });
  return store;
}

/** What a plain search over the bytes of everything in a folder finds; the scanner of the product has no part in it. */
function grep(folder: string): string[] {
  const words = [
    "swordfish",
    "zebracanary",
    "kanarienvogel",
    "quetzalcoatlus",
    "basiliskenhof",
    "verborgenen",
    "nightingale",
  ];
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(`${folder}/${name}`, "latin1").toLowerCase();
    return words.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`);
  });
}

it("POR-06 erases a session and its delegate: no byte of content, tools, title, prompt or index is left in any file", async () => {
  using home = tempHome();
  const store = fill(home.statePath);
  catchUpSideIndex(store);
  expect(grep(home.path).length).toBeGreaterThan(5);
  const proof = await eraseSessions(store, ["gone"]);
  expect(proof).toMatchObject({
    sessions: ["gone", "helper"],
    messages: 33,
    clean: true,
    pending: null,
    untouched: [],
  });
  expect(proof.canaries).toBeGreaterThan(30);
  expect(proof.files.map(({ name, state, found }) => ({ name, state, found }))).toContainEqual({
    name: "state.db",
    state: "scanned",
    found: 0,
  });
  expect(proof.files.filter(({ name }) => name !== "state.db").every(({ state }) => state === "absent")).toBe(true);
  expect(grep(home.path)).toEqual([]);
  await expectSound(home.statePath);
  using again = openStateStore({ path: home.statePath });
  expect(again.sessions.get("keep1").systemPrompt).toBe(SHARED_PROMPT);
  expect(again.messages.count("keep1")).toBe(230);
  expect(searchMessages(again, "swordfish").hits).toEqual([]);
  expect(searchMessages(again, "ordinary").hits.length).toBeGreaterThan(0);
});

it("POR-06 finds what a plain deletion leaves behind: without overwriting and compacting, the scan says so", async () => {
  using home = tempHome();
  const store = fill(home.statePath);
  const { needles } = await collectCanaries((fn) => store.read(fn), ["gone", "helper"], {});
  store.write("a plain deletion", (w) => w.get("PRAGMA secure_delete = OFF"));
  store.retention.delete("gone");
  store.close();
  const files = await scanStoreFiles(home.statePath, needles);
  expect(files.find(({ name }) => name === "state.db")?.found).toBeGreaterThan(0);
});

it("POR-06 claims nothing about a file that could not be read", async () => {
  using home = tempHome();
  using store = fill(home.statePath);
  const { needles } = await collectCanaries((fn) => store.read(fn), ["gone"], {});
  const files = await scanStoreFiles(home.statePath, needles);
  expect(files.find(({ name }) => name === "state.db")).toMatchObject({ state: "unreadable", found: 0 });
});

it("POR-06 erases tasks and results of work that the session gave away", async () => {
  using home = tempHome();
  const store = fill(home.statePath);
  const fields = {
    state: "done",
    originSession: "x",
    dispatchedAtSeconds: 1,
    taskJson: '{"goal":"find the kanarienvogel"}',
  };
  store.delegations.save("d1", { ...fields, parentSessionId: "gone" });
  store.delegations.save("d2", { ...fields, parentSessionId: "keep1", taskJson: '{"goal":"stay"}' });
  const proof = await eraseSessions(store, ["gone"]);
  expect(proof).toMatchObject({ delegations: 1, clean: true });
  expect(grep(home.path)).toEqual([]);
  using again = openStateStore({ path: home.statePath });
  expect(again.delegations.list().map(({ delegationId }) => delegationId)).toEqual(["d2"]);
});

it("POR-06 builds an index anew that missed the deletion, since it keeps the words", async () => {
  using home = tempHome();
  const store = fill(home.statePath);
  store.write("take the triggers off", (w) => {
    for (const { name } of w.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
      w.exec(`DROP TRIGGER "${name}"`);
  });
  const proof = await eraseSessions(store, ["gone"]);
  expect(grep(home.path)).toEqual([]);
  expect(proof.clean).toBe(true);
  expect(proof.steps).toContain("built the search indexes anew");
});

it("POR-06 lists the copies it leaves alone", async () => {
  using home = tempHome();
  const store = fill(home.statePath);
  const backup = await backupStore(store, home.file("backups"), { space: plenty });
  const bundle = `${home.statePath}.malformed-backup-20260101_000000`;
  writeFileSync(bundle, "old");
  const waiting = join(home.path, SPOOL_NAME.folder, "pending-1.json");
  mkdirSync(dirname(waiting));
  writeFileSync(waiting, "{}");
  const proof = await eraseSessions(store, ["gone"]);
  expect(proof.clean).toBe(true);
  expect(proof.untouched).toEqual([backup.path, bundle, waiting].sort());
});

it("POR-06 refuses a session somebody works with, an unknown one, another handle and another set; nothing goes then", async () => {
  using home = tempHome();
  using store = fill(home.statePath);
  const lease = store.leases.acquire("turn", "gone");
  await expect(eraseSessions(store, ["gone"])).rejects.toMatchObject({ code: "STATE_E_SESSION_IN_USE" });
  store.leases.release(lease!);
  await expect(eraseSessions(store, ["gone", "nobody"])).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
  await expect(eraseSessions(store, ["gone"], { expected: ["gone"] })).rejects.toMatchObject({
    code: "STATE_E_TARGETS_CHANGED",
  });
  await expect(eraseSessions(store, ["gone"], { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
  {
    using other = openStateStore({ path: home.statePath });
    expect(other.path).toBe(store.path);
    await expect(eraseSessions(store, ["gone"])).rejects.toMatchObject({ code: "STATE_E_STORE_HELD" });
  }
  expect(store.messages.count("gone")).toBe(32);
});

describePython("POR-06 beside the peer", () => {
  it("POR-06 refuses while a Python process has the store open, and claims nothing when told to go on", async () => {
    using home = tempHome();
    const store = fill(home.statePath);
    await using peer = await startPythonPeer();
    await peer.call("open", { path: home.statePath, name: "p" });
    await peer.call("sql", { name: "p", sql: "SELECT count(*) FROM messages" });
    await expect(eraseSessions(store, ["gone"])).rejects.toMatchObject({
      code: "STATE_E_STORE_HELD",
      facts: { processes: [peer.pid] },
    });
    expect(store.messages.count("gone")).toBe(32);
    const proof = await eraseSessions(store, ["gone"], { whileHeld: true });
    expect(proof).toMatchObject({ messages: 33, clean: false });
    expect(proof.pending).toContain("open");
  });

  it("POR-06 leaves a file that Python's own SQLite finds sound and searches", async () => {
    using home = tempHome();
    const proof = await eraseSessions(fill(home.statePath), ["gone"]);
    expect(proof.clean).toBe(true);
    const hash = fileHash(home.statePath);
    const answer = runPython(
      `db = peer.connect(args["path"])
answer([db.execute("PRAGMA integrity_check").fetchone()[0],
        db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'ordinary'").fetchone()[0],
        db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'swordfish'").fetchone()[0]])
db.close()`,
      { path: home.statePath },
    );
    expect({ answer, hash: fileHash(home.statePath) }).toEqual({ answer: ["ok", 400, 0], hash });
  });
});

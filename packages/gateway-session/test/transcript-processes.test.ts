import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contentText, openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { describePython, killAfter, seedFor, spawnNode, tempDir, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTranscriptWriter, spoolFolderOf, sqliteStorage } from "../src/index.js";

const child = (name: string): string => fileURLToPath(new URL(`children/${name}`, import.meta.url));
const texts = (store: StateStore, id: string): string[] =>
  [...store.messages.iterate(id)].map(({ content }) => contentText(content));

const ALL_TEXTS = "SELECT content FROM messages ORDER BY id";
const ROUNDS = 6;

describe("a store that somebody else writes to", () => {
  it("GWS-05 three messages while it is locked beyond patience, one after: four rows in order", async () => {
    using dir = tempDir("transcript-lock");
    const path = dir.file("state.db");
    using store = openStateStore({ path, patience: { transcript: 150, routine: 150 } });
    store.sessions.create({ id: "s", source: "telegram" });
    await using writer = openTranscriptWriter(sqliteStorage(store), { spoolFolder: spoolFolderOf(path) });
    await using holder = spawnNode(child("hold-write-lock.mjs"), [path], { timeout: 30_000 });
    await holder.waitForLine((line) => line === "held");
    const states: string[] = [];
    for (const content of ["1", "2", "3"]) {
      states.push((await writer.append({ sessionId: "s" }, { role: "user", content })).state);
    }
    expect(states).toEqual(["queued", "queued", "spooled"]);
    expect(texts(store, "s")).toEqual([]);
    holder.send("release");
    await holder.exit;
    expect(await writer.append({ sessionId: "s" }, { role: "user", content: "4" })).toMatchObject({ state: "stored" });
    expect(texts(store, "s")).toEqual(["1", "2", "3", "4"]);
  });
});

describePython("a disk that is full", () => {
  it("GWS-05 for the store and the spool: nothing is acknowledged, nothing is dropped, all is stored when there is room", async () => {
    using dir = tempDir("transcript-full");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s", source: "telegram" });
    }
    await using talk = spawnNode(child("talk-on-full-disk.mjs"), [path], { timeout: 60_000 });
    const end = await talk.exit;
    expect([end.code, end.stderr]).toEqual([0, ""]);
    const report = JSON.parse(end.stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      backlog: { sessions: 1, queued: 4, spooled: 0 },
      files: [],
      texts: ["1", "2", "3", "4", "5"],
      left: [],
    });
    expect(report["receipts"]).toEqual([
      ["queued", expect.stringMatching(/^STATE_E_(?:DISK_FULL|IO)$/)],
      ["queued", expect.stringMatching(/^STATE_E_(?:DISK_FULL|IO)$/)],
      ["queued", "STATE_E_SPOOL_FAILED"],
      ["queued", "STATE_E_SPOOL_FAILED"],
      ["stored", null],
    ]);
  });
});

describe("gateways that are killed at random", () => {
  it("GWS-05 two on one store and one spool: what each acknowledged is stored once and in order", async () => {
    using dir = tempDir("transcript-kills");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      for (const id of ["s0", "s1", "s2"]) store.sessions.create({ id, source: "telegram" });
    }
    const random = testRandom(seedFor("GWS-05 gateways that are killed at random"));
    for (let round = 0; round < ROUNDS; round++) {
      const ends = ["a", "b"].map(async (which) => {
        const seed = String(random.int(0, 2 ** 31));
        const wait = random.int(20, 900);
        await using talk = spawnNode(child("random-talk.mjs"), [path, `${String(round)}${which}`, seed], {
          timeout: 30_000,
        });
        await talk.waitForLine((line) => line === "talking");
        return await killAfter(talk, wait);
      });
      for (const end of await Promise.all(ends)) expect([end.signal, end.stderr]).toEqual(["SIGKILL", ""]);
    }
    const acks = existsSync(`${path}.acks`) ? readFileSync(`${path}.acks`, "utf8").trim().split("\n") : [];
    using store = openStateStore({ path });
    const writer = openTranscriptWriter(sqliteStorage(store), { spoolFolder: `${path}.spool` });
    expect(await writer.replay()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    await writer.close();
    const stored = store.read((r) => r.all<{ content: string }>(ALL_TEXTS)).map(({ content }) => content);
    expect(new Set(stored).size).toBe(stored.length);
    const known = new Set(stored);
    expect(acks.filter((ack) => !known.has(ack))).toEqual([]);
    const talks = groupsOf(stored);
    for (const said of talks.values()) expect(said).toEqual([...said].sort());
    process.stderr.write(`${String(acks.length)} acknowledged, ${String(stored.length)} stored\n`);
    expect(acks.length).toBeGreaterThan(ROUNDS);
    expect(existsSync(`${path}.spool`) ? readdirSync(`${path}.spool`) : []).toEqual([]);
  }, 120_000);
});

/** Texts by who said them where, in the order they are stored. */
function groupsOf(stored: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const text of stored) {
    const key = text.slice(0, text.lastIndexOf(" "));
    groups.set(key, [...(groups.get(key) ?? []), text]);
  }
  return groups;
}

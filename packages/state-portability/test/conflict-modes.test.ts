import { tempHome } from "@hermes/testkit";
import type { StateStore } from "@hermes/state-core";
import type { ImportOptions, ImportReport } from "@hermes/state-portability";
import { describe, expect, it } from "vitest";
import { exported, imported, open } from "./support.js";

/** A store with one talk, and its own export. */
async function talkOf(store: StateStore, ...texts: string[]): Promise<string> {
  store.sessions.ensure({ id: "s", source: "cli", title: "Talk 旅行" });
  for (const content of texts) store.messages.append("s", { role: "user", content });
  return (await exported(store, { format: "jsonl" })).text;
}

function texts(store: StateStore, id: string): unknown[] {
  return store.messages.page(id, { limit: 100 }).messages.map(({ content }) => content);
}

function ids(store: StateStore): string[] {
  return store.read((r) => r.all<{ id: string }>("SELECT id FROM sessions ORDER BY id")).map(({ id }) => id);
}

/** The dry run must say what the real one does. */
async function rehearsed(store: StateStore, text: string, options: ImportOptions): Promise<ImportReport> {
  const dry = await imported(store, text, { ...options, dryRun: true });
  const before = ids(store);
  const real = await imported(store, text, options);
  expect({ ...dry, dryRun: false }).toEqual(real);
  expect(before.every((id) => ids(store).includes(id))).toBe(true);
  return real;
}

describe("conflict modes", () => {
  it("POR-02 copies under an id of its own, the title numbered, children with their copied parents", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    await talkOf(store, "one");
    store.sessions.create({ id: "child", source: "cli", parentSessionId: "s" });
    const { text } = await exported(store, { format: "jsonl" });
    expect(await rehearsed(store, text, { mode: "copy" })).toMatchObject({ imported: 2, messages: 1 });
    expect(ids(store)).toEqual(["child", "child-copy", "s", "s-copy"]);
    expect(store.sessions.get("s-copy")).toMatchObject({ title: "Talk 旅行 #2", messageCount: 1 });
    expect(store.sessions.get("child-copy")).toMatchObject({ parentSessionId: "s-copy" });
    await imported(store, text, { mode: "copy" });
    expect(ids(store)).toContain("s-copy-2");
  });

  it("POR-02 replaces a talk in its place: route and children stay, search finds the new words only", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    using other = open(home.file("other.db"));
    const text = await talkOf(other, "new words", "more");
    await talkOf(store, "old words");
    store.sessions.create({ id: "child", source: "cli", parentSessionId: "s" });
    expect(await rehearsed(store, text, { mode: "replace" })).toMatchObject({ replaced: 1, imported: 0, messages: 2 });
    expect(texts(store, "s")).toEqual(["new words", "more"]);
    expect(store.sessions.get("s")).toMatchObject({ title: "Talk 旅行", messageCount: 2 });
    expect(store.sessions.get("child")).toMatchObject({ parentSessionId: "s" });
    const match = "SELECT COUNT(1) AS n FROM messages_fts WHERE messages_fts MATCH ?";
    expect(["old", "new"].map((word) => store.read((r) => r.get<{ n: number }>(match, [word])?.n))).toEqual([0, 1]);
  });

  it("COR-25 does not replace a session in which a turn is under way", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const text = await talkOf(store, "one");
    store.leases.acquire("turn", "s");
    await expect(imported(store, text, { mode: "replace" })).rejects.toMatchObject({ code: "STATE_E_SESSION_IN_USE" });
    expect(texts(store, "s")).toEqual(["one"]);
  });

  it("POR-02 merges: an older copy changes nothing, a longer one is appended, usage is not counted twice", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    using other = open(home.file("other.db"));
    const short = await talkOf(other, "one", "two");
    other.usage.record("s", { model: "m", inputTokens: 5, outputTokens: 2 });
    const usage = (await exported(other, { format: "jsonl" })).text;
    await imported(store, usage);
    const longer = await talkOf(other, "three");
    other.usage.record("s", { model: "m", inputTokens: 4, outputTokens: 1 });
    const longest = (await exported(other, { format: "jsonl" })).text;
    expect(await rehearsed(store, short, { mode: "merge" })).toMatchObject({ skipped: 1, messages: 0 });
    expect(await rehearsed(store, longest, { mode: "merge" })).toMatchObject({ grown: 1, messages: 1 });
    expect(await rehearsed(store, longer, { mode: "merge" })).toMatchObject({ skipped: 1 });
    expect(texts(store, "s")).toEqual(["one", "two", "three"]);
    expect(store.sessions.get("s")).toMatchObject({ messageCount: 3, inputTokens: 9, outputTokens: 3 });
    expect(store.read((r) => r.all("SELECT input_tokens FROM session_model_usage"))).toEqual([{ input_tokens: 9 }]);
  });

  it("POR-02 merges talks that went on apart: the other one becomes a branch, once", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    using other = open(home.file("other.db"));
    await imported(other, await talkOf(store, "one"));
    store.messages.append("s", { role: "user", content: "here" });
    const there = await talkOf(other, "there");
    const first = await rehearsed(store, there, { mode: "merge" });
    expect(first).toMatchObject({ imported: 1, grown: 0, messages: 2, detached: 0 });
    const branch = ids(store).find((id) => id !== "s") ?? "";
    expect(store.sessions.get(branch)).toMatchObject({ parentSessionId: "s", modelConfig: { _branched_from: "s" } });
    expect([texts(store, "s"), texts(store, branch)]).toEqual([
      ["one", "here"],
      ["one", "there"],
    ]);
    expect(await rehearsed(store, there, { mode: "merge" })).toMatchObject({ imported: 0, skipped: 1 });
  });
});

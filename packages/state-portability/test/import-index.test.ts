import { buildOldStore, tempHome } from "@hermes/testkit";
import type { StateStore } from "@hermes/state-core";
import type { Progress } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { exported, imported, open } from "./support.js";

const WORDS = ["common", "needle", "别山项目"];

function fill(store: StateStore, count: number, ids: readonly string[] = ["b", "a"]): void {
  for (const id of ids) store.sessions.create({ id, source: "cli" });
  // Sessions that were talked in by turns: their message ids lie between each other.
  for (let n = 0; n < count; n++) {
    for (const id of ids) {
      const content = `common ${n} ${n % 7 === 0 ? "needle" : ""} ${id} 大别山项目 ${n}`;
      store.messages.append(id, { role: n % 2 ? "assistant" : "user", content });
    }
  }
}

/** What an index answers, after the engine has compared it with the rows. */
function answers(store: StateStore): unknown[] {
  return store.write("check an index", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"]) {
      if (!w.get("SELECT 1 AS found FROM sqlite_master WHERE name = ?", [table])) continue;
      w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    }
    const found = WORDS.map((word) =>
      w.get("SELECT COUNT(1) AS n FROM messages_fts WHERE messages_fts MATCH ?", [`"${word}"`]),
    );
    const markers = w.all("SELECT key FROM state_meta WHERE key LIKE 'fts%rebuild%' ORDER BY key");
    return [found, markers];
  });
}

async function otherExport(folder: { file(name: string): string }, count = 40): Promise<string> {
  using source = open(folder.file("source.db"));
  fill(source, count);
  return (await exported(source, { format: "jsonl" })).text;
}

describe("the index after an import", () => {
  it("POR-02 SEA-12 is whole in a new store, with message ids of sessions that lie between each other", async () => {
    using home = tempHome();
    const text = await otherExport(home);
    using expected = open(home.file("source.db"));
    using store = open(home.statePath);
    await imported(store, text);
    expect(answers(store)).toEqual(answers(expected));
    expect((await exported(store, { format: "jsonl" })).text).toBe(text);
  });

  it("POR-02 is whole beside rows that were there, after replacing and after appending", async () => {
    using home = tempHome();
    const text = await otherExport(home);
    using store = open(home.statePath);
    fill(store, 3, ["here", "a"]);
    await imported(store, text, { mode: "replace" });
    const [[common, needle]] = answers(store) as [{ n: number }[]];
    expect([common?.n, needle?.n]).toEqual([83, 13]);
    fill(store, 1, ["later"]);
    await imported(store, await longer(home), { mode: "merge" });
    expect((answers(store) as [{ n: number }[]])[0][0]?.n).toBe(104);
  });

  it.each([0, 1, 2] as const)("POR-02 is whole in a store of layout %s", async (fts) => {
    using home = tempHome();
    const text = await otherExport(home);
    buildOldStore(home.statePath, 30, { fts });
    using store = open(home.statePath);
    const before = store.read((r) => r.get<{ n: number }>("SELECT COUNT(1) AS n FROM messages")?.n ?? 0);
    expect(await imported(store, text)).toMatchObject({ imported: 2, messages: 80 });
    const [[common]] = answers(store) as [{ n: number }[]];
    expect(common?.n).toBeGreaterThanOrEqual(80);
    expect(store.read((r) => r.get("SELECT COUNT(1) AS n FROM messages"))).toEqual({ n: before + 80 });
  });

  it("POR-02 GND-02 gives every message the place in its talk that the triggers give it", async () => {
    using home = tempHome();
    const text = await otherExport(home);
    using byTrigger = open(home.file("source.db"));
    using store = open(home.statePath);
    await imported(store, text);
    const places = (from: StateStore): unknown[] =>
      from.read((r) => r.all("SELECT id, display_order, display_identity FROM messages ORDER BY id"));
    expect(places(store)).toEqual(places(byTrigger));
    using without = open(home.file("without.db"));
    without.write("forget a trigger", (w) => w.exec("DROP TRIGGER messages_display_order_insert"));
    await imported(without, text);
    expect(without.read((r) => r.get("SELECT MAX(display_order) AS placed FROM messages"))).toEqual({ placed: null });
  });

  it("POR-02 never tells less than before, though sessions come in together", async () => {
    using home = tempHome();
    using source = open(home.file("two.db"));
    for (const [id, count] of [
      ["a", 600],
      ["b", 1300],
    ] as const) {
      source.sessions.create({ id, source: "cli" });
      source.messages.appendBatch(
        id,
        Array.from({ length: count }, (_, n) => ({ role: "user", content: `common ${n}` })),
      );
    }
    const { text } = await exported(source, { format: "jsonl" });
    using store = open(home.statePath);
    const seen: number[] = [];
    const onProgress = ({ phase, done }: Progress): void => {
      if (phase === "importing") seen.push(done);
    };
    expect(await imported(store, text, { onProgress })).toMatchObject({ imported: 2, messages: 1900 });
    expect(seen).toEqual([0, 500, 1000, 1500, 1500, 1900]);
  });

  it("POR-02 tells how far it is, and stops in the middle of a session, which is then not there", async () => {
    using home = tempHome();
    using source = open(home.file("long.db"));
    source.sessions.create({ id: "long", source: "cli" });
    source.messages.appendBatch(
      "long",
      Array.from({ length: 1600 }, (_, n) => ({ role: "user", content: `common ${n}` })),
    );
    const { text } = await exported(source, { format: "jsonl" });
    using store = open(home.statePath);
    const stop = new AbortController();
    const seen: Progress[] = [];
    const onProgress = (progress: Progress): void => {
      seen.push(progress);
      if (progress.phase === "importing" && progress.done >= 1000) stop.abort();
    };
    await expect(imported(store, text, { onProgress, signal: stop.signal })).rejects.toMatchObject({
      code: "STATE_E_ABORTED",
    });
    expect(seen).toContainEqual({ phase: "reading", done: 512, total: undefined });
    expect(seen.at(-1)).toEqual({ phase: "importing", done: 1000, total: 1600 });
    expect(store.sessions.count({})).toBe(0);
    expect(answers(store)).toEqual([[{ n: 0 }, { n: 0 }, { n: 0 }], []]);
    expect(await imported(store, text)).toMatchObject({ imported: 1, messages: 1600 });
    expect((answers(store) as [{ n: number }[]])[0][0]).toEqual({ n: 1600 });
  });
});

/** The same talks, one of them twenty messages longer. */
async function longer(folder: { file(name: string): string }): Promise<string> {
  using source = open(folder.file("source.db"));
  for (let n = 0; n < 20; n++) source.messages.append("a", { role: "user", content: `common later ${n}` });
  return (await exported(source, { format: "jsonl" })).text;
}

it("POR-02 SEA-02 finds what came in under an id that holds half a character", async () => {
  using home = tempHome();
  using store = open(home.statePath);
  const lines = ["a", "b", "c"].map((content) => ({ role: "user", content: `needle ${content}` }));
  const line = JSON.stringify({ id: "\ud800x", source: "cli", messages: lines });
  expect(await imported(store, `${line}\n`, { from: "peer" })).toMatchObject({ imported: 1, messages: 3 });
  expect(answers(store)[0]).toEqual([{ n: 0 }, { n: 3 }, { n: 0 }]);
});

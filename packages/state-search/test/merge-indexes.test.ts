import { type MergeBounds, openStateStore, type Progress, type StateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import { tempHome, type TempHome } from "@hermes/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { mergeIndexes, optimizeIndexes } from "../src/index.js";
import { WITHOUT_TRIGRAM } from "./helpers/hooked-driver.js";
import { searchIds } from "./helpers/search-ids.js";

const BATCHES = 10;
const PER_BATCH = 60;

let home: TempHome;
let store: StateStore;

beforeEach(() => {
  home = tempHome();
  store = openStateStore({ path: home.statePath, durability: "normal" });
  store.sessions.create({ id: "s", source: "cli" });
  store.write("test: no merges by the engine", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"]) {
      w.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('automerge', 0)`);
    }
  });
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const words = (n: number): string => Array.from({ length: 15 }, (_, word) => `w${batch}x${n}x${word}`).join(" ");
    const messages = Array.from({ length: PER_BATCH }, (_, n) => ({ role: "user", content: `item${n} ${words(n)}` }));
    store.messages.appendBatch("s", messages);
  }
});
afterEach(() => {
  store.close();
  home[Symbol.dispose]();
});

function segments(of: StateStore, table: string): number {
  const sql = `SELECT COUNT(DISTINCT segid) AS n FROM ${table}_idx`;
  return of.read((r) => r.get<{ n: number }>(sql))?.n ?? -1;
}

const found = (of: StateStore): unknown =>
  ["item7", "w3x7x4", "it*", '"item5 w1x5x0"'].map((text) => searchIds(of, text));

it("SEA-13 optimizeIndexes leaves one segment per index and changes no result", async () => {
  const before = found(store);
  expect(segments(store, "messages_fts")).toBeGreaterThan(5);
  const events: Progress[] = [];
  const report = await optimizeIndexes(store, { onProgress: (event) => events.push(event) });
  expect(report).toEqual({ merged: ["messages_fts", "messages_fts_trigram"] });
  expect(events.at(-1)).toEqual({ phase: "merge", done: 2, total: 2 });
  expect([segments(store, "messages_fts"), segments(store, "messages_fts_trigram")]).toEqual([1, 1]);
  expect(found(store)).toEqual(before);
  expect(await optimizeIndexes(store)).toEqual(report);
});

it("SEA-13 stops between two steps with the reason it was given; a later run goes on", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const stopped = optimizeIndexes(store, { signal: controller.signal, onProgress: () => controller.abort(reason) });
  await expect(stopped).rejects.toBe(reason);
  await optimizeIndexes(store);
  expect([segments(store, "messages_fts"), segments(store, "messages_fts_trigram")]).toEqual([1, 1]);
});

it("SEA-13 mergeIndexes does no more than its bounds allow, and converges when it is repeated", () => {
  const before = found(store);
  expect(mergeIndexes(store, { pages: 1, commands: 2 })).toBeLessThanOrEqual(4);
  let rounds = 0;
  while (mergeIndexes(store, { pages: 50 }) > 0 && rounds < 100) rounds += 1;
  expect(rounds).toBeLessThan(100);
  expect(segments(store, "messages_fts")).toBeLessThan(4);
  expect(found(store)).toEqual(before);
});

it("SEA-13 leaves out an index that is missing, unreadable or detached", async () => {
  store.close();
  store = openStateStore({ path: home.statePath, driver: WITHOUT_TRIGRAM });
  expect(await optimizeIndexes(store)).toEqual({ merged: ["messages_fts"] });
  store.write("test: detach", detachFts);
  expect(await optimizeIndexes(store)).toEqual({ merged: [] });
  expect(mergeIndexes(store)).toBe(0);
});

it("SEA-13 refuses bounds that are no whole numbers above 0", async () => {
  expect(() => mergeIndexes(store, { pages: true } as unknown as MergeBounds)).toThrow(TypeError);
  expect(() => mergeIndexes(store, { pages: 0 })).toThrow(RangeError);
  expect(() => mergeIndexes(store, { commands: 2.5 })).toThrow(RangeError);
  expect(() => mergeIndexes(store, { command: 2 } as unknown as MergeBounds)).toThrow(TypeError);
  await expect(optimizeIndexes(store, { progress: 1 } as object)).rejects.toThrow(TypeError);
});

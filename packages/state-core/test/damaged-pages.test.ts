import { damage, fileHash, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";

const PAGE = 4096;
const LEAVES = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path";
const SYNC = "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages\\_fts%' ESCAPE '\\'";

/** A closed store of 400 messages, and the pages of one of its tables from first to last. */
function build(dir: TempDir, table: string): { path: string; pages: number[]; triggers: number } {
  const path = dir.file("state.db");
  {
    using store = openStateStore({ path });
    store.sessions.create({ id: "s", source: "test" });
    const rows = Array.from({ length: 400 }, (_, index) => ({ role: "user", content: `needle ${index} ${"x".repeat(200)}` }));
    store.messages.appendBatch("s", rows);
  }
  using store = openStateStore({ path, mode: "read" });
  return store.read((r) => ({
    path,
    pages: r.tuples<[number]>(LEAVES, [table]).map(([page]) => page),
    triggers: r.get<{ n: number }>(SYNC)?.n ?? 0,
  }));
}

function zeroPage(path: string, page: number): void {
  damage.zero(path, (page - 1) * PAGE, PAGE);
}

/** Appends until something fails; what was acknowledged, and the code of the failure. */
function appendUpTo(path: string, count: number): { ids: number[]; codes: string[] } {
  const ids: number[] = [];
  const codes: string[] = [];
  const store = openStateStore({ path });
  try {
    for (let index = 0; index < count; index++) {
      try {
        ids.push(store.messages.append("s", { role: "user", content: `after ${index}` }).id);
      } catch (error) {
        codes.push(isStateError(error) ? error.code : String(error));
      }
    }
  } finally {
    store.close();
  }
  return { ids, codes };
}

describe("canonical pages that are lost", () => {
  it.each([
    ["a middle page of the messages", "messages", 0.5],
    ["the last page of the messages", "messages", 1],
    ["the only page of the sessions", "sessions", 1],
  ] as const)("P02 COR-09 %s: an acknowledged row is readable, anything else is a typed error", (_, table, where) => {
    using dir = tempDir("pages");
    const { path, pages, triggers } = build(dir, table);
    zeroPage(path, pages[Math.round((pages.length - 1) * where)] ?? 0);
    const before = fileHash(path);
    let outcome: { ids: number[]; codes: string[] };
    try {
      outcome = appendUpTo(path, 20);
    } catch (error) {
      // The open itself may meet the damage.
      outcome = { ids: [], codes: [isStateError(error) ? error.code : String(error)] };
    }
    const { ids, codes } = outcome;
    expect(new Set(codes)).toEqual(codes.length > 0 ? new Set(["STATE_E_CORRUPT"]) : new Set());
    if (ids.length === 0) expect(fileHash(path)).toBe(before);
    using second = openStateStore({ path, mode: "read" });
    for (const id of ids) expect(second.messages.get(id).content).toMatch(/^after /);
    // A fault of the rows is no reason to take the index off, and none to rebuild it.
    expect(second.read((r) => r.get<{ n: number }>(SYNC)?.n)).toBe(triggers);
    expect(second.meta.get("fts_stale")).toBeUndefined();
  });

  it("P02 COR-09 after the first sign of damage the handle writes no more, and says what to do", () => {
    using dir = tempDir("pages");
    const { path, pages } = build(dir, "messages");
    zeroPage(path, pages.at(-1) ?? 0);
    const store = openStateStore({ path });
    const refused = expect.objectContaining({ code: "STATE_E_CORRUPT" }) as Error;
    expect(() => store.messages.append("s", { role: "user", content: "x" })).toThrow(refused);
    expect(() => store.sessions.create({ id: "other", source: "test" })).toThrow(refused);
    expect(() => store.meta.set("k", "v")).toThrow(/hermes-state .*doctor/);
    store.close();
    using second = openStateStore({ path, mode: "read" });
    expect(second.sessions.find("other")).toBeUndefined();
  });
});

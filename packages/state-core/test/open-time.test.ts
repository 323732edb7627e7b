import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { damage, fileHash, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";
import type { StateError } from "../src/index.js";
import { startWorker } from "./worker.js";

const ROUNDS = 6;

function errorOf(fn: () => unknown): StateError {
  try {
    fn();
  } catch (error) {
    if (isStateError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function goodStore(dir: TempDir): string {
  const path = dir.file("state.db");
  using store = openStateStore({ path });
  store.sessions.create({ id: "s1", source: "test" });
  store.messages.append("s1", { role: "user", content: "kept" });
  return path;
}

function spoilSchema(path: string): void {
  const database = new Database(path);
  database.unsafeMode(true);
  database.pragma("writable_schema=ON");
  database.exec("UPDATE sqlite_master SET sql = 'CREATE TABLE garbage(' WHERE name = 'messages'");
  database.close();
}

describe("a file that is no sound store, at open", () => {
  it.each<[string, (path: string) => unknown, string]>([
    ["zeroed", (path) => damage.zero(path, 0, 4096), "STATE_E_NOT_A_DATABASE"],
    ["all zeros", (path) => damage.replace(path, new Uint8Array(8192)), "STATE_E_NOT_A_DATABASE"],
    ["cut short", (path) => damage.cut(path, 0.4), "STATE_E_CORRUPT"],
    ["of another kind", (path) => writeFileSync(path, "# notes\n".repeat(2000)), "STATE_E_NOT_A_DATABASE"],
    ["without a readable schema", spoilSchema, "STATE_E_CORRUPT"],
  ])("REP-10 P04 is refused and left alone when it is %s, and the refusal says what to run", (_what, spoil, code) => {
    using dir = tempDir("open-time");
    const path = goodStore(dir);
    spoil(path);
    const before = fileHash(path);
    for (const mode of ["write", "read"] as const) {
      const error = errorOf(() => openStateStore({ path, mode }));
      expect([mode, error.code]).toEqual([mode, code]);
      expect(error.message).toMatch(/hermes-state check/);
      expect(error.message).toMatch(/hermes-state (?:doctor|recover)/);
      expect(fileHash(path)).toBe(before);
    }
  });

  it("REP-10 P04 a database without tables, as an interrupted creation leaves it, becomes a store", () => {
    using dir = tempDir("open-time");
    const path = dir.file("state.db");
    for (const pragma of ["user_version=0", "journal_mode=WAL"]) {
      const database = new Database(path);
      database.pragma(pragma);
      database.close();
    }
    using store = openStateStore({ path });
    store.sessions.create({ id: "s1", source: "test" });
    expect(store.sessions.get("s1").id).toBe("s1");
  });
});

describe("two processes that start at once", () => {
  it("REP-10 P04 agree on one store where there was an empty file or none", async () => {
    await using one = await startWorker();
    await using two = await startWorker();
    for (let round = 0; round < ROUNDS; round++) {
      using dir = tempDir("at-once");
      const path = dir.file("state.db");
      if (round % 2 === 0) writeFileSync(path, "");
      await Promise.all([one, two].map((worker) => worker.call("open", { path })));
      {
        using store = openStateStore({ path });
        store.sessions.create({ id: "s", source: "test" });
      }
      const append = { sessionId: "s", count: 5, prefix: `round ${String(round)}` };
      const ids = await Promise.all([one, two].map((worker) => worker.call<number[]>("appendMany", append)));
      await Promise.all([one, two].map((worker) => worker.call("close")));
      expect(new Set(ids.flat()).size).toBe(10);
      using store = openStateStore({ path, mode: "read" });
      expect(store.messages.count("s")).toBe(10);
    }
  }, 60_000);

  it("REP-10 P04 both refuse a zeroed file, and neither touches it", async () => {
    using dir = tempDir("at-once");
    mkdirSync(dir.file("at"));
    const path = damage.replace(dir.file("at/state.db"), new Uint8Array(8192));
    const before = fileHash(path);
    await using one = await startWorker();
    await using two = await startWorker();
    const opened = await Promise.allSettled([one, two].map((worker) => worker.call("open", { path })));
    expect(opened.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(fileHash(path)).toBe(before);
    expect(readdirSync(dir.file("at"))).toEqual(["state.db"]);
  });
});

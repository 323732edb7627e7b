import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { initializeSchema, SCHEMA_VERSION } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change } from "./old-file.js";
import { runPython } from "./python.js";
import { tempFolder } from "./temp-files.js";
import { openTestHost } from "./test-host.js";

it.each([
  ["a fresh file", undefined],
  ["an upgraded file without an index", "none"],
  ["an upgraded content-only file", "content-only"],
  ["an upgraded inline file", 0],
  ["an upgraded layout-1 file", 1],
  ["an upgraded layout-2 file", 2],
  ["an upgraded layout-3 file", 3],
] as const)("SCH-11 only reads %s at the second open", (_, layout) => {
  using folder = tempFolder();
  const path = folder.file("state.db");
  using host = openTestHost(path);
  if (layout !== undefined) buildOldFile(host, { version: 14, layout, broad: true });
  initializeSchema(host);
  change(host, (w) => {
    addSession(w, "s");
    addMessage(w, "s");
  });
  const watcher = new Database(path);
  const version = (): unknown => watcher.pragma("data_version", { simple: true });
  const before = [version(), digest(path)];
  const opens = host.transactions.length;
  const report = initializeSchema(host);
  expect(host.transactions.slice(opens)).toEqual([]);
  expect([version(), digest(path)]).toEqual(before);
  expect(report).toMatchObject({
    created: false,
    versionBefore: SCHEMA_VERSION,
    versionAfter: SCHEMA_VERSION,
    migrated: [],
  });
  watcher.close();
});

it("SCH-11 asks whether there are rows, and never how many", () => {
  using host = openTestHost(":memory:");
  initializeSchema(host);
  const statements: string[] = [];
  const watched = { ...host, get: watch(host.get), all: watch(host.all) };
  initializeSchema(watched);
  expect(statements.length).toBeGreaterThan(3);
  expect(statements.length).toBeLessThan(12);
  expect(statements.filter((sql) => /count\s*\(/i.test(sql))).toEqual([]);

  function watch<F extends (sql: string, ...rest: never[]) => unknown>(fn: F): F {
    return ((sql: string, ...rest: never[]) => {
      statements.push(sql);
      return fn(sql, ...rest);
    }) as F;
  }
});

/** Another process reads the bytes: closing a descriptor here would cancel this process's locks. */
function digest(path: string): string {
  const script =
    "import hashlib, json, sys; print(json.dumps(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest()))";
  return runPython(script, path);
}

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isStateError } from "../errors/state-error.js";
import { liveConnectionCount, openOfflineScope } from "./live-connections.js";
import { openMaintenanceConnection } from "./maintenance-connection.js";

let folder: TempDir;
let path: string;
beforeEach(() => {
  folder = tempDir();
  path = `${folder.path}/copy.db`;
  const database = new Database(path);
  database.exec("CREATE TABLE a(x); CREATE INDEX a_x ON a(x); INSERT INTO a VALUES (1), (2)");
  database.close();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

function traced(work: () => void): string[] {
  const seen: string[] = [];
  const note = (message: unknown): void => {
    seen.push((message as { sql: string }).sql);
  };
  subscribe("hermes:state:statement", note);
  try {
    work();
  } finally {
    unsubscribe("hermes:state:statement", note);
  }
  return seen;
}

it("COR-07 registers a maintenance connection as live until it is closed", () => {
  const connection = openMaintenanceConnection(path);
  expect(liveConnectionCount(path)).toBe(1);
  expect(() => openOfflineScope(path)).toThrow(expect.objectContaining({ code: "STATE_E_LIVE_CONNECTION" }));
  connection.close();
  connection.close();
  expect(liveConnectionCount(path)).toBe(0);
});

it("COR-07 is refused while an offline scope works on the file", () => {
  using scope = openOfflineScope(path);
  expect(scope.path).toBeTruthy();
  expect(() => openMaintenanceConnection(path)).toThrow(expect.objectContaining({ code: "STATE_E_OFFLINE_IN_USE" }));
});

it("REP-06 takes the barriers of macOS at open and again on demand, and none elsewhere", () => {
  const barriers = ["PRAGMA checkpoint_fullfsync=1", "PRAGMA synchronous=FULL"];
  const mac = traced(() => {
    using connection = openMaintenanceConnection(path, { platform: "darwin" });
    expect(connection.retakeBarriers()).toBe(true);
    expect(connection.pragma("checkpoint_fullfsync")).toBe(1);
    connection.exec("REINDEX");
  });
  expect(mac.slice(0, 4)).toEqual([...barriers, ...barriers]);
  const linux = traced(() => {
    using connection = openMaintenanceConnection(path, { platform: "linux" });
    expect(connection.retakeBarriers()).toBe(true);
  });
  expect(linux).toEqual([]);
});

it("REP-06 opens a file whose schema refuses the barriers, and takes them when it parses again", () => {
  using connection = openMaintenanceConnection(path, { platform: "darwin", unsafe: true });
  connection.pragma("writable_schema=ON");
  connection.run("UPDATE sqlite_master SET sql = 'CREATE INDEX garbage(' WHERE name = 'a_x'");
  using second = openMaintenanceConnection(path, { platform: "darwin", unsafe: true });
  expect(second.retakeBarriers()).toBe(false);
  connection.run("UPDATE sqlite_master SET sql = 'CREATE INDEX a_x ON a(x)' WHERE name = 'a_x'");
  expect(second.retakeBarriers()).toBe(true);
});

it("REP-07 edits the schema table only when it was opened for that", () => {
  using safe = openMaintenanceConnection(path);
  safe.pragma("writable_schema=ON");
  expect(() => safe.run("DELETE FROM sqlite_master WHERE name = 'a_x'")).toThrow();
  using unsafe = openMaintenanceConnection(path, { unsafe: true });
  unsafe.pragma("writable_schema=ON");
  expect(unsafe.run("DELETE FROM sqlite_master WHERE name = 'a_x'").changes).toBe(1);
});

it("REP-06 commits, rolls back and rehearses", () => {
  using connection = openMaintenanceConnection(path);
  connection.transaction((w) => w.run("INSERT INTO a VALUES (3)"), "EXCLUSIVE");
  expect(() =>
    connection.transaction((w) => {
      w.run("INSERT INTO a VALUES (4)");
      throw new Error("no");
    }),
  ).toThrow("no");
  connection.rehearse((w) => w.run("DELETE FROM a"));
  // The engine ended this transaction by itself; its own reason must come through.
  expect(() =>
    connection.transaction((w) => {
      w.exec("INSERT OR ROLLBACK INTO a VALUES (json('{'))");
    }),
  ).toThrow("malformed JSON");
  expect(connection.inTransaction).toBe(false);
  expect(connection.get("SELECT COUNT(*) AS n FROM a")).toEqual({ n: 3 });
});

it("REP-06 changes nothing when it was opened for reading, and refuses options it does not have", () => {
  using connection = openMaintenanceConnection(path, { readonly: true });
  expect(() => connection.run("DELETE FROM a")).toThrow(/readonly/);
  let error: unknown;
  try {
    openMaintenanceConnection(path, { readOnly: true } as never);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(TypeError);
  expect(isStateError(error)).toBe(false);
});

it("REP-06 copies what the connection sees, page by page, and damage as it is", async () => {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  connection.pragma("locking_mode=EXCLUSIVE");
  connection.pragma("writable_schema=ON");
  connection.run("UPDATE sqlite_master SET sql = 'CREATE INDEX garbage(' WHERE name = 'a_x'");
  const target = folder.file("target.db");
  writeFileSync(target, "");
  const steps: [number, number][] = [];
  await connection.copyTo(target, (done, total) => {
    steps.push([done, total]);
    expect(liveConnectionCount(target)).toBe(1);
  });
  expect(liveConnectionCount(target)).toBe(0);
  expect(steps[0]).toEqual([0, 3]);
  using copy = openMaintenanceConnection(target, { unsafe: true });
  expect(() => copy.get("SELECT x FROM a")).toThrow(/malformed database schema/);
  const failed = connection.copyTo(target, () => {
    throw new Error("enough");
  });
  await expect(failed).rejects.toThrow("enough");
  expect(liveConnectionCount(target)).toBe(1);
});

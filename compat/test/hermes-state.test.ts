import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openMaintenanceConnection, openStateStore, StateError } from "@hermes/state-core";
import { probeSchema } from "@hermes/state-schema";
import { parseQuery } from "@hermes/state-search";
import { childEnvironment, repoRoot, spawnChild, tempDir, tempHome } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as common from "../src/hermes-state-common/index.js";
import * as schema from "../src/hermes-state-schema/index.js";
import * as compat from "../src/hermes-state/index.js";
import { SessionDB } from "../src/session-db/index.js";
import { codeOf } from "./support/open-session-db.js";

const BUILT = new URL("../dist/hermes-state/index.js", import.meta.url).href;
const ZEROS = Buffer.alloc(8192);
const NOBODY = 65_534;

interface NativeConnection extends compat.SqliteHandle {
  exec(sql: string): void;
  close(): void;
}

/** A connection as a plugin opens one itself. */
function nativeConnection(path: string): NativeConnection {
  const require = createRequire(join(repoRoot(), "packages/state-core/package.json"));
  const Database = require("better-sqlite3") as new (path: string) => NativeConnection;
  return new Database(path);
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("limits, versions and what is configured", () => {
  it("CPT-03 the limits are read when they are asked for", () => {
    vi.stubEnv("HERMES_MAX_RESUME_MESSAGES", undefined);
    expect(compat.resolvedMaxResumeMessages()).toBe(compat.MAX_SAFE_RESUME_MESSAGES);
    vi.stubEnv("HERMES_MAX_RESUME_MESSAGES", "7");
    vi.stubEnv("HERMES_MAX_EXPORT_MESSAGES", "0");
    expect([compat.resolvedMaxResumeMessages(), compat.resolvedMaxExportMessages()]).toEqual([7, 0]);
    for (const wrong of ["-3", "many", "1.5"]) {
      vi.stubEnv("HERMES_MAX_EXPORT_MESSAGES", wrong);
      expect(compat.resolvedMaxExportMessages()).toBe(compat.MAX_SAFE_EXPORT_MESSAGES);
    }
  });

  it.each([
    ["3.6.23", false],
    ["3.7.0", true],
    ["3.44.5", true],
    ["3.44.6", false],
    ["3.45.0", true],
    ["3.50.4", true],
    ["3.50.7", false],
    ["3.51.2", true],
    ["3.51.3", false],
  ] as const)("CPT-03 SQLite %s has the reset bug: %s", (version, vulnerable) => {
    expect(compat.isSqliteWalResetVulnerable(version)).toBe(vulnerable);
    expect(compat.isSqliteWalResetVulnerable(version.split(".").map(Number))).toBe(vulnerable);
  });

  it("CPT-03 asks the library that stores are opened with, and refuses what is no version", () => {
    using home = tempHome();
    using store = openStateStore({ path: home.statePath });
    const { sqliteVersion } = store.info();
    expect(compat.isSqliteWalResetVulnerable()).toBe(compat.isSqliteWalResetVulnerable(sqliteVersion));
    const id = store.read((r) => r.get<{ id: string }>("SELECT sqlite_source_id() AS id")?.id);
    expect(compat.sqliteSourceId()).toBe(id);
    expect(() => compat.isSqliteWalResetVulnerable("new")).toThrow(TypeError);
  });

  it("CPT-03 aims for write-ahead logging unless delete is configured", () => {
    const of = (mode: unknown): string => compat.resolveJournalMode({ database: { journal_mode: mode } });
    expect([compat.resolveJournalMode(), of("wal"), of("DELETE "), of("truncate"), of(5), of(null)]).toEqual([
      "wal",
      "wal",
      "delete",
      "wal",
      "wal",
      "wal",
    ]);
  });
});

describe("connections of a plugin's own", () => {
  it("CPT-03 a new file gets write-ahead logging with an end on disk; a store's connection the same", () => {
    using dir = tempDir("wal");
    const conn = nativeConnection(dir.file("a.db"));
    expect(compat.applyWalWithFallback(conn, { requireWal: true })).toBe("wal");
    expect(conn.pragma?.("journal_size_limit")).toEqual([{ journal_size_limit: 67_108_864 }]);
    conn.close();
    writeFileSync(dir.file("b.db"), "");
    using own = openMaintenanceConnection(dir.file("b.db"));
    expect(compat.applyWalWithFallback(own)).toBe("wal");
  });

  it("CPT-03 never leaves write-ahead logging, and does not begin it where others have the file", () => {
    using dir = tempDir("wal");
    const path = dir.file("a.db");
    const first = nativeConnection(path);
    compat.applyWalWithFallback(first);
    expect(compat.applyWalWithFallback(first, { journal: "delete" })).toBe("wal");
    first.close();
    const plain = dir.file("b.db");
    const other = nativeConnection(plain);
    other.exec("CREATE TABLE t (a)");
    using held = openMaintenanceConnection(plain);
    expect(compat.applyWalWithFallback(other)).toBe("delete");
    expect(held.pragma("journal_mode")).toBe("delete");
    expect(codeOf(() => compat.applyWalWithFallback(other, { requireWal: true }))).toBe("STATE_E_WAL_UNSUPPORTED");
    other.close();
  });

  it("CPT-03 throws where write-ahead logging is required and not to be had", () => {
    const memory = nativeConnection(":memory:");
    expect(compat.applyWalWithFallback(memory)).toBe("memory");
    expect(() => compat.applyWalWithFallback(memory, { requireWal: true })).toThrow(compat.WalUnsupportedError);
    memory.close();
    expect(() => compat.applyWalWithFallback({})).toThrow(TypeError);
    expect(() => compat.applyWalWithFallback(memory, { require: true } as never)).toThrow(TypeError);
  });

  it("CPT-03 applies what is configured, ignores what is no number, and touches nothing else", () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const conn = nativeConnection(":memory:");
    const before = conn.pragma?.("mmap_size");
    expect(compat.applyDatabasePragmas(conn)).toEqual([]);
    const database = { cache_size: -4321, temp_store: "2; DROP TABLE t", wal_autocheckpoint: null };
    expect(compat.applyDatabasePragmas(conn, { database, dbLabel: "mine" })).toEqual(["cache_size"]);
    compat.applyDatabasePragmas(conn, { database, dbLabel: "mine" });
    expect(conn.pragma?.("cache_size")).toEqual([{ cache_size: -4321 }]);
    expect(conn.pragma?.("mmap_size")).toEqual(before);
    expect(warn).toHaveBeenCalledTimes(1);
    conn.close();
  });

  it("CPT-03 loads the tokenizer from the home or from where it is said to be, and lives without it", () => {
    using home = tempHome();
    vi.stubEnv("HERMES_HOME", home.path);
    vi.stubEnv("HERMES_FTS5_CJK_SO", undefined);
    vi.stubEnv("HERMES_CJK_FTS", undefined);
    expect(compat.fts5CjkSoPath()).toBe(join(home.path, "lib", "libfts5_cjk.so"));
    const library = home.file("mine.so");
    vi.stubEnv("HERMES_FTS5_CJK_SO", library);
    expect(compat.fts5CjkSoPath()).toBe(library);
    const loaded: string[] = [];
    const conn = { loadExtension: (path: string) => loaded.push(path) };
    expect(compat.loadFts5CjkExtension(conn)).toBe(false);
    writeFileSync(library, "");
    expect(compat.loadFts5CjkExtension(conn)).toBe(true);
    expect(loaded).toEqual([library]);
    const native = nativeConnection(":memory:") as compat.LoadingConnection & NativeConnection;
    expect(compat.loadFts5CjkExtension(native)).toBe(false);
    native.close();
    expect(compat.loadFts5CjkExtension({})).toBe(false);
    vi.stubEnv("HERMES_CJK_FTS", "Off");
    expect(compat.loadFts5CjkExtension(conn)).toBe(false);
  });
});

describe("a file before it is opened", () => {
  it("CPT-03 knows a file that has lost its beginning from every other", () => {
    using dir = tempDir("zeroed");
    const write = (name: string, bytes: Uint8Array | string): string => {
      writeFileSync(dir.file(name), bytes);
      return dir.file(name);
    };
    expect(compat.isZeroedStateDb(write("zeroed", ZEROS))).toBe(true);
    expect(compat.isZeroedStateDb(write("short", ZEROS.subarray(0, 8)))).toBe(true);
    expect(compat.isZeroedStateDb(write("empty", ""))).toBe(false);
    expect(compat.isZeroedStateDb(dir.file("missing"))).toBe(false);
    expect(compat.isZeroedStateDb(dir.path)).toBe(false);
    const late = write("late", Buffer.concat([ZEROS.subarray(0, 50), Buffer.from("x"), ZEROS]));
    expect(compat.isZeroedStateDb(late)).toBe(false);
    expect(compat.isZeroedStateDb(late, { probeBytes: 50 })).toBe(true);
    expect(() => compat.isZeroedStateDb(late, { probeBytes: 0 })).toThrow(RangeError);
  });

  it("CPT-03 never reads a file by a descriptor that this process has open, also when forced to", () => {
    using home = tempHome();
    using db = new SessionDB(home.statePath);
    expect(compat.isZeroedStateDb(home.statePath, { force: true })).toBe(false);
    expect(compat.quarantineZeroedStateDb(home.statePath)).toBeNull();
    db.createSession("s", "cli");
  });

  it("CPT-03 moves such a file away with its log, and the next open makes a new store", () => {
    using home = tempHome();
    writeFileSync(home.statePath, ZEROS);
    writeFileSync(`${home.statePath}-wal`, "what was said last");
    expect(codeOf(() => openStateStore({ path: home.statePath }))).toBe("STATE_E_NOT_A_DATABASE");
    const moved = compat.quarantineZeroedStateDb(home.statePath);
    expect(moved).toMatch(/state\.db\.zeroed-\d{8}-\d{6}-\d+\.bak$/);
    expect(readFileSync(moved!).equals(ZEROS)).toBe(true);
    expect(readFileSync(`${moved!}-wal`, "utf8")).toBe("what was said last");
    expect([existsSync(home.statePath), existsSync(`${home.statePath}-wal`)]).toEqual([false, false]);
    using db = new SessionDB(home.statePath);
    expect(db.createSession("s", "cli")).toBe("s");
    expect(compat.quarantineZeroedStateDb(home.statePath)).toBeNull();
    expect(compat.quarantineZeroedStateDb(home.file("missing.db"))).toBeNull();
  });

  it("CPT-03 of two processes one moves it", async () => {
    using home = tempHome();
    writeFileSync(home.statePath, ZEROS);
    const script = `import { quarantineZeroedStateDb } from ${JSON.stringify(BUILT)};
      process.stdout.write(String(quarantineZeroedStateDb(process.argv[1]) !== null));`;
    const args = ["--input-type=module", "-e", script, home.statePath];
    const start = (): Child => spawnChild(process.execPath, args, { timeout: 60_000, env: childEnvironment() });
    const ends = await Promise.all([start(), start()].map((child) => child.exit));
    expect(ends.map((end) => end.stdout).sort()).toEqual(["false", "true"]);
    const left = readdirSync(home.path).filter((name) => name.endsWith(".bak"));
    expect(left).toHaveLength(1);
    expect(statSync(home.file(left[0]!)).size).toBe(ZEROS.length);
  });

  it.skipIf(process.getuid?.() !== 0)("CPT-03 gives the user's own files back, and names what it cannot", () => {
    using home = tempHome();
    const inside = join(home.path, "inner");
    for (const folder of [inside, join(home.path, "other")]) {
      mkdirSync(folder);
      for (const name of ["state.db", "state.db-wal"]) writeFileSync(join(folder, name), "x", { mode: 0o400 });
      for (const name of ["", "state.db", "state.db-wal"]) chownSync(join(folder, name), NOBODY, NOBODY);
    }
    chmodSync(home.path, 0o755);
    const script = `import { preflightDbWritability } from ${JSON.stringify(BUILT)};
      try { preflightDbWritability(process.argv[1]); process.stdout.write("fine"); }
      catch (error) { process.stdout.write(error.code + "\\n" + error.message); }`;
    const run = (path: string): string => {
      const env = childEnvironment({ HERMES_HOME: inside });
      const args = ["--input-type=module", "-e", script, path];
      return spawnSync(process.execPath, args, { uid: NOBODY, env, timeout: 60_000, encoding: "utf8" }).stdout;
    };
    expect(run(join(inside, "state.db"))).toBe("fine");
    expect(statSync(join(inside, "state.db-wal")).mode & 0o777).toBe(0o600);
    const outside = join(home.path, "other", "state.db");
    expect(run(outside)).toContain("STATE_E_NOT_ACCESSIBLE");
    expect(statSync(outside).mode & 0o777).toBe(0o400);
    chmodSync(outside, 0o600);
    expect(run(outside)).toMatch(/state\.db-wal is not accessible .*chmod u\+rw .*Do not delete it/);
    expect(readFileSync(`${outside}-wal`, "utf8")).toBe("x");
  });

  it("CPT-03 has nothing against a store that is not there yet, nor against what is no file", () => {
    using home = tempHome();
    for (const path of [home.statePath, home.file("new/state.db"), ":memory:", "file:x?mode=ro"]) {
      compat.preflightDbWritability(path);
    }
    expect(readdirSync(home.path)).toEqual([]);
  });
});

describe("errors and where they were kept", () => {
  it("CPT-02 an error is of the class the old module had, by its code", () => {
    const busy = new StateError("STATE_E_COMPRESSION_BUSY", "x", {});
    expect(busy).toBeInstanceOf(compat.CompressionSessionBusyError);
    expect(busy).toBeInstanceOf(compat.SessionCompressionInProgressError);
    expect(busy).not.toBeInstanceOf(compat.CompressionSessionClosedError);
    expect(new Error("being compressed")).not.toBeInstanceOf(compat.CompressionSessionBusyError);
  });

  it("CPT-03 keeps why the last store could not be opened, until one could", () => {
    using home = tempHome();
    writeFileSync(home.statePath, "no database at all, but long enough to be one".repeat(9));
    expect(codeOf(() => new SessionDB(home.statePath))).toBe("STATE_E_NOT_A_DATABASE");
    expect(compat.getLastInitError()).toContain(home.statePath);
    expect(compat.formatSessionDbUnavailable("No history")).toContain(home.statePath);
    new SessionDB(home.file("other.db")).close();
    expect(compat.getLastInitError()).toBeNull();
    expect(compat.formatSessionDbUnavailable()).not.toContain(":");
  });
});

describe("what the schema modules had", () => {
  it("CPT-03 the script makes the tables of a store, and may run again", () => {
    using home = tempHome();
    writeFileSync(home.statePath, "");
    {
      using conn = openMaintenanceConnection(home.statePath);
      conn.exec(common.SCHEMA_SQL);
      conn.exec(common.SCHEMA_SQL);
      expect(probeSchema(conn).current).toBe(true);
      for (const statement of schema.schemaReadProbeStatements()) expect(conn.all(statement)).toEqual([]);
      conn.exec("ALTER TABLE messages DROP COLUMN finish_reason");
      expect(schema.schemaReadProbeStatements().filter((statement) => fails(() => conn.all(statement)))).toHaveLength(
        1,
      );
    }
    using db = new SessionDB(home.statePath);
    db.createSession("s", "cli");
    expect(db.appendMessage("s", "user", "x")).toBe(1);
  });

  it("CPT-03 the names and numbers are those of the parts", () => {
    expect(common.FTS_CJK_STALE_KEY).toBe("fts_cjk_stale");
    const most = "x".repeat(common.MAX_FTS5_QUERY_CHARS);
    expect(parseQuery(most).hint).toBeUndefined();
    expect(parseQuery(`${most}x`).hint).toBeDefined();
  });
});

function fails(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    // What the test asks for.
    return true;
  }
}

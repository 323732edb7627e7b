import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync } from "node:fs";
import { spawnNode, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

interface Statement {
  readonly role: "writer" | "reader";
  readonly sql: string;
}

/** What runs on the connections of a store while `fn` runs. */
function statementsOf(fn: () => void): Statement[] {
  const seen: Statement[] = [];
  const listener = (message: unknown): void => {
    seen.push(message as Statement);
  };
  subscribe("hermes:state:statement", listener);
  try {
    fn();
  } finally {
    unsubscribe("hermes:state:statement", listener);
  }
  return seen;
}

function pragmas(statements: readonly Statement[], role: Statement["role"]): string[] {
  return statements
    .filter((statement) => statement.role === role && statement.sql.startsWith("PRAGMA "))
    .map((statement) => statement.sql.slice("PRAGMA ".length));
}

const SETTINGS = ["mmap_size=0", "temp_store=DEFAULT", "recursive_triggers=OFF", "trusted_schema=ON"];

describe("open order", () => {
  it("COR-01 sets every pragma of the writer one by one, foreign keys last before the schema", () => {
    using dir = tempDir("order");
    const path = dir.file("state.db");
    const wal = ["journal_size_limit=67108864", "wal_autocheckpoint=1000", "synchronous=FULL", "cache_size=-16000", ...SETTINGS, "foreign_keys=ON"];
    const first = pragmas(statementsOf(() => openStateStore({ path }).close()), "writer");
    expect(first.slice(0, first.indexOf("foreign_keys=ON") + 1)).toEqual([
      "busy_timeout=1000",
      "page_count",
      "journal_mode",
      "journal_mode=WAL",
      ...wal,
    ]);
    const again = pragmas(statementsOf(() => openStateStore({ path }).close()), "writer");
    expect(again.slice(0, again.indexOf("foreign_keys=ON") + 1)).toEqual([
      "busy_timeout=1000",
      "page_count",
      "journal_mode",
      ...wal,
    ]);
  });

  it("COR-01 takes the durability and the journal that the caller asks for", () => {
    using dir = tempDir("order");
    const normal = pragmas(
      statementsOf(() => openStateStore({ path: dir.file("a.db"), durability: "normal" }).close()),
      "writer",
    );
    expect(normal).toContain(process.platform === "darwin" ? "synchronous=FULL" : "synchronous=NORMAL");
    const rollback = { path: dir.file("b.db"), journal: "delete", durability: "normal" } as const;
    const seen = pragmas(statementsOf(() => openStateStore(rollback).close()), "writer");
    expect(seen).toContain("synchronous=FULL");
    expect(seen.some((text) => text.startsWith("journal_mode=") || text.includes("wal"))).toBe(false);
  });

  it("COR-05 SCH-10 a reader sets its own pragmas, is query-only, and runs no DDL", () => {
    using dir = tempDir("order");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    const seen = statementsOf(() => {
      using store = openStateStore({ path, mode: "read" });
      store.sessions.list({});
    });
    expect(seen.filter((statement) => statement.role === "writer")).toEqual([]);
    expect(pragmas(seen, "reader").slice(0, 7)).toEqual(["busy_timeout=5000", "cache_size=-2000", ...SETTINGS, "query_only=ON"]);
    expect(seen.filter(({ sql }) => /^\s*(CREATE|DROP|ALTER|INSERT|UPDATE|DELETE)\b/i.test(sql))).toEqual([]);
  });

  it("COR-02 checkpoints are PASSIVE everywhere: every 50 writes and at close, and none by a reader", () => {
    using dir = tempDir("order");
    const path = dir.file("state.db");
    const seen = statementsOf(() => {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test" });
      for (let index = 0; index < 120; index++) store.messages.append("s1", { role: "user", content: "x" });
      store.messages.count("s1");
    });
    // NOOP moves no page: it only tells how far others came (COR-11).
    const checkpoints = seen.filter(({ sql }) => /checkpoint\((?!NOOP\))/i.test(sql));
    expect(checkpoints.length).toBeGreaterThanOrEqual(3);
    expect(checkpoints.length).toBeLessThanOrEqual(4);
    expect(new Set(checkpoints.map(({ sql }) => sql))).toEqual(new Set(["PRAGMA wal_checkpoint(PASSIVE)"]));
    expect(checkpoints.every(({ role }) => role === "writer")).toBe(true);
  });

  it.runIf(existsSync("/proc/self/fd"))("COR-03 a store that was forgotten is closed when it is collected, with one warning", async () => {
    using dir = tempDir("order");
    await using child = spawnNode(childScript("forget-stores.mjs"), [dir.file("state.db")], { execArgv: ["--expose-gc"] });
    const end = await child.exit;
    const { most, left } = JSON.parse(end.stdout) as { most: number; left: number };
    expect(most).toBeGreaterThanOrEqual(20);
    expect(left).toBe(0);
    expect(end.stderr.match(/HERMES_STATE_NOT_CLOSED/g)).toHaveLength(1);
  });
});

import { copyPeerFile, describePeer, tempDir } from "@hermes/testkit";
import { TABLES } from "@hermes/state-schema";
import type { SqlValue } from "@hermes/state-schema";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { recoverStore, salvagePages } from "../../src/index.js";
import type { SalvageReport } from "../../src/index.js";
import { physicalOrders } from "../../src/salvage/layout/physical-orders.js";
import { searchOrders } from "../../src/salvage/layout/search-orders.js";
import { parseCreateTable } from "../../src/salvage/layout/parse-create-table.js";
import { readFileSync } from "node:fs";

const FILES = [
  "peer-v02.db",
  "peer-v04.db",
  "peer-v06.db",
  "peer-v08.db",
  "peer-v11.db",
  "peer-v14.db",
  "peer-v16.db",
  "peer-v20.db",
  "peer-v22.db",
  "peer-v23.db",
  "peer-v26.db",
  "peer-v30-hybrid.db",
  "peer-v26-from-v22.db",
  "peer-v26-from-v04-direct.db",
  "peer-v26-from-v04-chain.db",
  "peer-v26-rebuild-pending.db",
  "peer-small.db",
];

type Row = Record<string, unknown>;

function rowsOf(path: string, table: string): Row[] {
  const database = new Database(path);
  try {
    return database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() as Row[];
  } finally {
    database.close();
  }
}

function salvage(bytes: Uint8Array): { rows: Map<string, Row[]>; report: SalvageReport } {
  let report: SalvageReport | undefined;
  const rows = new Map<string, Row[]>();
  for (const { table, values } of salvagePages(bytes, { onReport: (found) => (report = found) })) {
    rows.set(table, [...(rows.get(table) ?? []), values]);
  }
  if (!report) throw new Error("no report");
  return { rows, report };
}

/** Only what the file has: salvage names columns of the model that the file lacks, too. */
function compare(salvaged: readonly Row[] | undefined, stored: readonly Row[], key: string): void {
  const byKey = new Map((salvaged ?? []).map((row) => [row[key], row]));
  expect(byKey.size).toBe(stored.length);
  for (const row of stored) expect(byKey.get(row[key])).toMatchObject(row);
}

describePeer("files of real peers", () => {
  it.each(FILES)("SCH-12 knows the order of columns of %s", (name) => {
    using folder = tempDir("peer");
    const database = new Database(copyPeerFile(name, folder));
    for (const table of ["sessions", "messages", "session_model_usage"] as const) {
      const columns = (database.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
      if (columns.length === 0) continue;
      const sql = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(table) as { sql: string };
      expect(parseCreateTable(sql.sql)?.columns).toEqual(columns);
      const rows = database.prepare(`SELECT * FROM ${table}`).raw().all() as SqlValue[][];
      const orders = [...physicalOrders(TABLES[table]), ...searchOrders(TABLES[table], rows)];
      expect(orders.map((order) => order.columns.slice(0, columns.length))).toContainEqual(columns);
    }
    database.close();
  });

  it.each(FILES)("REP-09 reads every row of %s from its pages", (name) => {
    using folder = tempDir("peer");
    const path = copyPeerFile(name, folder);
    const { rows, report } = salvage(readFileSync(path));
    compare(rows.get("messages"), rowsOf(path, "messages"), "id");
    compare(rows.get("sessions"), rowsOf(path, "sessions"), "id");
    expect(report.tables["messages"]).toMatchObject({ sound: true, problems: [], refused: 0 });
    expect(report.tables["sessions"]).toMatchObject({ sound: true, problems: [], refused: 0 });
  });

  it.each(FILES)("REP-09 reads every message of %s when its first page is gone, columns by name", (name) => {
    using folder = tempDir("peer");
    const path = copyPeerFile(name, folder);
    const bytes = readFileSync(path);
    const [messages, sessions] = [rowsOf(path, "messages"), rowsOf(path, "sessions")];
    bytes.fill(0, 0, 4096);
    const { rows, report } = salvage(bytes);
    compare(rows.get("messages"), messages, "id");
    compare(rows.get("sessions"), sessions, "id");
    expect(report.headerSound).toBe(false);
  });

  it.each(FILES)(
    "SCH-12 REP-09 names the columns of %s from its rows alone, when no page of its schema is left",
    (name) => {
      using folder = tempDir("peer");
      const path = copyPeerFile(name, folder);
      const bytes = readFileSync(path);
      const [messages, sessions] = [rowsOf(path, "messages"), rowsOf(path, "sessions")];
      const database = new Database(path);
      const pages = database
        .prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")
        .pluck()
        .all() as number[];
      database.close();
      for (const page of pages) bytes.fill(0, (page - 1) * 4096, page * 4096);
      const { rows, report } = salvage(bytes);
      expect(report.schemaRead).toBe(false);
      compare(rows.get("messages"), messages, "id");
      compare(rows.get("sessions"), sessions, "id");
    },
  );

  it.each(FILES)("REP-09 recovers a copy of %s in full", async (name) => {
    using folder = tempDir("peer");
    const source = copyPeerFile(name, folder);
    const output = folder.file("new.db");
    const before = { messages: rowsOf(source, "messages"), sessions: rowsOf(source, "sessions") };
    const report = await recoverStore({ source, output });
    expect(report).toMatchObject({ status: "complete", verified: true });
    compare(rowsOf(output, "messages"), before.messages, "id");
    const kept = before.sessions.map(({ id, source: from, started_at, title }) => ({
      id,
      source: from,
      started_at,
      title: title ?? null,
    }));
    compare(rowsOf(output, "sessions"), kept, "id");
    for (const [table, count] of Object.entries(report.counts)) expect(rowsOf(output, table)).toHaveLength(count);
  });
});

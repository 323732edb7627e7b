import { readFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { fileHash, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { salvagePages } from "../../src/index.js";
import type { SalvagedRow, SalvageOptions, SalvageReport } from "../../src/index.js";
import { makeSampleStore, readRows } from "../recover/sample-store.js";

type Row = Record<string, unknown>;

const PAGE = 4096;

let folder: TempDir;
let path: string;
let bytes: Buffer;
let messages: Map<unknown, Row>;
let sessions: Map<unknown, Row>;
beforeAll(() => {
  folder = tempDir("salvage");
  path = folder.file("state.db");
  makeSampleStore(path, { sessions: 20, messages: 30 });
  messages = readRows(path, "messages", "id");
  sessions = readRows(path, "sessions", "id");
  bytes = readFileSync(path);
});
afterAll(() => {
  folder[Symbol.dispose]();
});

interface Salvaged {
  readonly rows: ReadonlyMap<unknown, SalvagedRow>;
  readonly sessions: ReadonlyMap<unknown, SalvagedRow>;
  readonly report: SalvageReport;
}

function salvage(source: string | Uint8Array, options: SalvageOptions = {}): Salvaged {
  let report: SalvageReport | undefined;
  const found: Salvaged["rows"] & Map<unknown, SalvagedRow> = new Map();
  const foundSessions = new Map<unknown, SalvagedRow>();
  for (const row of salvagePages(source, { ...options, onReport: (made) => (report = made) })) {
    if (row.table === "messages") found.set(row.values["id"], row);
    if (row.table === "sessions") foundSessions.set(row.values["id"], row);
  }
  if (!report) throw new Error("no report");
  return { rows: found, sessions: foundSessions, report };
}

function wholeRows(found: ReadonlyMap<unknown, SalvagedRow>, stored: ReadonlyMap<unknown, Row>): number {
  return [...stored].filter(([id, row]) => {
    const values = found.get(id)?.values;
    return values !== undefined && Object.keys(row).every((name) => Object.is(row[name], values[name]));
  }).length;
}

function damaged(change: (copy: Buffer) => Buffer | undefined): Buffer {
  const copy = Buffer.from(bytes);
  return change(copy) ?? copy;
}

function schemaPages(): number[] {
  const database = new Database(path);
  try {
    return database.prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").pluck().all() as number[];
  } finally {
    database.close();
  }
}

describe("REP-09 salvage by pages", () => {
  it("REP-09 reads every row of an intact file as SQLite does, and changes no byte", () => {
    const before = fileHash(path);
    const { rows, report } = salvage(path);
    expect(wholeRows(rows, messages)).toBe(600);
    expect(report).toMatchObject({ headerSound: true, schemaRead: true, freelistComplete: true, unmapped: 0 });
    expect(report.tables["messages"]).toMatchObject({ tree: 600, page: 0, sound: true, duplicates: 0 });
    expect(fileHash(path)).toBe(before);
  });

  const wholeAgain: Readonly<Record<string, (copy: Buffer) => Buffer | undefined>> = {
    "a zeroed first page": (copy) => copy.fill(0, 0, PAGE),
    "a first page that lost all but its header": (copy) => copy.fill(0, 100, PAGE),
    "a page size field of nonsense": (copy) => void copy.writeUInt16BE(777, 16),
    "a page size field that names another size": (copy) => void copy.writeUInt16BE(1024, 16),
    "a wrong count of reserved bytes": (copy) => void copy.writeUInt8(9, 20),
    "a wrong text encoding": (copy) => void copy.writeUInt32BE(2, 56),
    "a header of another program": (copy) => void copy.write("not a database at all", 0),
    "no schema at all": (copy) => {
      for (const page of schemaPages()) copy.fill(0, (page - 1) * PAGE, page * PAGE);
      return copy;
    },
  };
  it.each(Object.entries(wholeAgain))("REP-09 reads everything in spite of %s", (_, change) => {
    const { rows, sessions: found } = salvage(damaged(change));
    expect(wholeRows(rows, messages)).toBe(600);
    expect(wholeRows(found, sessions)).toBe(20);
  });

  it("REP-09 reads what half a file holds, and marks texts whose end is missing", () => {
    const { rows, report } = salvage(damaged((copy) => copy.subarray(0, Math.floor(copy.length / PAGE / 2) * PAGE)));
    const whole = wholeRows(rows, messages);
    expect(whole).toBeGreaterThan(150);
    for (const [id, { damaged: columns, values }] of rows) {
      if (columns.length === 0) continue;
      const stored = String(messages.get(id)?.["content"]);
      expect(stored.startsWith(String(values["content"]))).toBe(true);
    }
    expect(report.tables["messages"]).toMatchObject({ sound: false });
  });

  it("REP-09 reads rows between pages of garbage", () => {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += PAGE) {
      parts.push(bytes.subarray(at, at + PAGE));
      if ((at / PAGE) % 3 === 2) parts.push(Buffer.from(Array.from({ length: PAGE }, (_, k) => (k * 7919 + at) & 255)));
    }
    const { rows } = salvage(Buffer.concat(parts));
    expect(rows.size).toBeGreaterThan(570);
    // Pages moved, so links between them lead nowhere: what has no overflow page must be there all the same.
    const short = new Map([...messages].filter(([, row]) => String(row["content"]).length < 1500));
    expect(wholeRows(rows, short)).toBe(short.size);
  });

  it("REP-09 finds nothing in bytes that are no database", () => {
    const noise = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * at * 31 + 7) & 255));
    for (const nothing of [Buffer.alloc(0), Buffer.alloc(100_000), noise, Buffer.from("hello ".repeat(9000))]) {
      expect([...salvagePages(nothing)]).toEqual([]);
    }
  });

  it("REP-09 takes no overwritten overflow page for text", () => {
    const database = new Database(path);
    const overflow = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'overflow'")
      .pluck()
      .all() as number[];
    const leaf = database.prepare("SELECT pageno FROM dbstat WHERE name LIKE 'idx_messages%' AND pagetype = 'leaf'");
    const [foreign = 0] = leaf.pluck().all() as number[];
    database.close();
    const random = (page: number): Buffer => Buffer.from(Array.from({ length: PAGE }, (_, k) => (k * page * 31) & 255));
    const kinds = [
      () => Buffer.alloc(PAGE),
      random,
      () => bytes.subarray((foreign - 1) * PAGE, foreign * PAGE),
      () => Buffer.alloc(PAGE, 0xff),
    ];
    const copy = damaged((same) => same);
    overflow.forEach((page, place) => kinds[place % kinds.length]?.(page).copy(copy, (page - 1) * PAGE));
    const { rows } = salvage(copy);
    expect(rows.size).toBe(600);
    for (const [id, { values, damaged: columns }] of rows) {
      const stored = String(messages.get(id)?.["content"]);
      const text = String(values["content"]);
      expect(stored.startsWith(text)).toBe(true);
      expect(columns.includes("content")).toBe(text !== stored);
    }
  });

  it("REP-09 follows no chain in a circle", () => {
    const database = new Database(path);
    const pages = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'overflow'")
      .pluck()
      .all() as number[];
    database.close();
    const copy = damaged((same) => same);
    for (const page of pages) copy.writeUInt32BE(page, (page - 1) * PAGE);
    expect(salvage(copy).rows.size).toBe(600);
  });

  it("REP-09 shows no deleted rows unless asked", () => {
    const other = folder.file("deleted.db");
    makeSampleStore(other, { sessions: 10, messages: 30 });
    const database = new Database(other);
    database.pragma("foreign_keys=OFF");
    database.pragma("secure_delete=OFF");
    database.exec("DELETE FROM messages WHERE id BETWEEN 61 AND 240");
    database.close();
    const left = readFileSync(other);
    expect(salvage(left).rows.size).toBe(120);
    expect(salvage(left).report.freelistPages).toBeGreaterThan(0);
    const freed = [...salvagePages(left, { includeFreed: true })].filter(({ origin }) => origin === "freed");
    expect(freed.length).toBeGreaterThan(20);
    // Without the header nothing names the list of free pages: its own form must do.
    expect(salvage(left.fill(0, 0, PAGE)).rows.size).toBe(120);
  });

  it("REP-09 applies the committed frames of a log, and no others", () => {
    const home = folder.file("logged.db");
    makeSampleStore(home, { sessions: 2, messages: 5 });
    const writer = new Database(home);
    writer.pragma("journal_mode=WAL");
    writer.pragma("wal_autocheckpoint=0");
    const insert = writer.prepare(
      "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20260101_000000_0000', 'user', ?, 1750000000)",
    );
    for (let number = 0; number < 40; number += 1) insert.run(`in the log ${number}`);
    const main = readFileSync(home);
    const wal = readFileSync(`${home}-wal`);
    writer.close();
    expect(salvage(main).rows.size).toBe(10);
    const { rows, report } = salvage(main, { wal });
    expect(rows.size).toBe(50);
    expect(report.walPages).toBeGreaterThan(0);
    // A frame that does not add up ends the log: what was committed before it counts.
    const half = Math.floor((wal.length - 32) / (PAGE + 24) / 2);
    const torn = Buffer.from(wal);
    torn.writeUInt8(torn.readUInt8(32 + half * (PAGE + 24) + 500) ^ 1, 32 + half * (PAGE + 24) + 500);
    const before = salvage(main, { wal: torn }).rows.size;
    expect(before).toBeGreaterThan(10);
    expect(before).toBeLessThan(50);
    // The page size of the log stands in for that of a lost header.
    expect(salvage(Buffer.from(main).fill(0, 0, 100), { wal }).rows.size).toBe(50);
  });

  it("REP-09 gives out a message once, however often its id is there, and always the same one", () => {
    const database = new Database(path);
    const leaves = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno")
      .pluck()
      .all() as number[];
    database.close();
    const [page = 0] = leaves.slice(3);
    const copy = Buffer.concat([bytes, bytes.subarray((page - 1) * PAGE, page * PAGE)]).fill(0, 100, PAGE);
    for (const schema of schemaPages()) copy.fill(0, (schema - 1) * PAGE, schema * PAGE);
    const once = salvage(copy);
    expect(once.rows.size).toBe(600);
    expect(once.report.tables["messages"]?.duplicates).toBeGreaterThan(0);
    expect([...salvage(copy).rows.values()]).toEqual([...once.rows.values()]);
  });

  it.each([512, 1024, 8192, 65_536])("REP-09 finds out pages of %i bytes by themselves", (size) => {
    const other = folder.file(`size-${size}.db`);
    const database = new Database(other);
    database.pragma(`page_size=${size}`);
    database.exec("VACUUM");
    database.close();
    makeSampleStore(other, { sessions: 12, messages: 30 });
    const stored = readRows(other, "messages", "id");
    const file = readFileSync(other);
    expect(salvage(file).report.pageSize).toBe(size);
    const { rows, report } = salvage(file.fill(0, 0, 100));
    expect(report.pageSize).toBe(size);
    expect(wholeRows(rows, stored)).toBe(360);
  });

  it.each(["UTF-16le", "UTF-16be"])("REP-09 reads text in %s", (encoding) => {
    const database = new Database(":memory:");
    database.pragma(`encoding = '${encoding}'`);
    database.exec(
      "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT," +
        "model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL)",
    );
    const insert = database.prepare(
      "INSERT INTO sessions (id, source, started_at, model) VALUES (?, 'cli', 1750000000.5, ?)",
    );
    for (let number = 0; number < 50; number += 1) insert.run(`session ${number}`, "模型 🙂");
    const file = database.serialize();
    database.close();
    for (const source of [file, Buffer.from(file).fill(0, 56, 60)]) {
      const { sessions: found, report } = salvage(source);
      expect(report.encoding).toBe(encoding.toLowerCase().replace("-", ""));
      expect(found.get("session 7")?.values).toMatchObject({
        model: "模型 🙂",
        source: "cli",
        started_at: 1750000000.5,
      });
    }
  });

  it("COR-07 REP-09 refuses a file that this process has open", () => {
    using store = openStateStore({ path });
    expect(() => [...salvagePages(store.path)]).toThrow(expect.objectContaining({ code: "STATE_E_LIVE_CONNECTION" }));
  });

  it("REP-09 stops when it is aborted", () => {
    const controller = new AbortController();
    const large = Buffer.concat([bytes, Buffer.alloc(3000 * PAGE)]).fill(0, 0, PAGE);
    const phases: string[] = [];
    const run = (): unknown[] => [
      ...salvagePages(large, {
        signal: controller.signal,
        onProgress: ({ phase }) => {
          phases.push(phase);
          controller.abort(new Error("enough"));
        },
      }),
    ];
    expect(run).toThrow("enough");
    expect(phases).toEqual(["pages"]);
  });
});

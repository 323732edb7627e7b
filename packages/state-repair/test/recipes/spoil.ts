import { closeSync, openSync, readSync, writeSync } from "node:fs";
import Database from "better-sqlite3";

/** A page of a database file. */
export const PAGE = 4096;

/** Runs statements with the schema table and shadow tables writable. The file is left checkpointed and closed. */
export function edit(path: string, work: (database: Database.Database) => void): void {
  const database = new Database(path);
  try {
    database.unsafeMode(true);
    database.pragma("writable_schema=ON");
    database.pragma("foreign_keys=OFF");
    work(database);
  } finally {
    database.close();
  }
}

/** Root page of a table or index. */
export function rootOf(path: string, name: string): number {
  return ask(path, "SELECT rootpage FROM sqlite_master WHERE name = ?", name);
}

/** The leaf pages of a table or index, in no order that matters. */
export function leavesOf(path: string, name: string): number[] {
  const database = new Database(path, { readonly: true });
  try {
    const sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno";
    return database.prepare(sql).pluck().all(name) as number[];
  } finally {
    database.close();
  }
}

function ask(path: string, sql: string, ...params: unknown[]): number {
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare(sql)
      .pluck()
      .get(...params) as number;
  } finally {
    database.close();
  }
}

/** Overwrites bytes of a page with NUL; from its start to its end when not said otherwise. */
export function zeroPage(path: string, page: number, from = 0, to: number = PAGE): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, Buffer.alloc(to - from), 0, to - from, (page - 1) * PAGE + from);
  } finally {
    closeSync(file);
  }
}

/** Bytes of a page. */
export function readPage(path: string, page: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(PAGE);
    readSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Takes the last child out of an inner page, so that no tree leads to that page and what hangs on it. */
export function dropLastChild(path: string, page: number): void {
  const bytes = readPage(path, page);
  const header = page === 1 ? 100 : 0;
  const INNER_TABLE = 5;
  const cells = bytes.readUInt16BE(header + 3);
  if (bytes[header] !== INNER_TABLE || cells < 2) throw new Error(`page ${String(page)} has no children to spare`);
  const lastCell = bytes.readUInt16BE(header + 12 + (cells - 1) * 2);
  // The rightmost child is replaced by the one before it.
  bytes.writeUInt32BE(bytes.readUInt32BE(lastCell), header + 8);
  bytes.writeUInt16BE(cells - 1, header + 3);
  writePage(path, page, bytes);
}

function writePage(path: string, page: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
  } finally {
    closeSync(file);
  }
}

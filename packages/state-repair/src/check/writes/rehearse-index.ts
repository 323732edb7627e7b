import { FTS_TABLE } from "@hermes/state-schema";
import type { Reader, Writer } from "@hermes/state-schema";
import type { Half } from "../index/halves.js";
import { quoted } from "../schema/schema-objects.js";

const COLUMNS = "SELECT name FROM pragma_table_info(?, 'main')";
const PROBE_TERM = "xyzzyprobe";

/** Gives one index an entry and has it brought to its pages. */
export function writeProbeEntry(w: Writer, half: Half, flush: boolean): void {
  const table = FTS_TABLE[half];
  const columns = w.all<{ name: string }>(COLUMNS, [table]).map(({ name }) => quoted(name));
  const marks = columns.map(() => "?").join(", ");
  w.run(`INSERT INTO ${table}(rowid, ${columns.join(", ")}) VALUES (?, ${marks})`, [
    freeId(w, half),
    ...columns.map(() => PROBE_TERM),
  ]);
  if (flush) flushIndex(w, half);
}

function freeId(r: Reader, half: Half): number {
  const sql = `SELECT coalesce(max(id), 0) + 1 AS id FROM ${FTS_TABLE[half]}_docsize`;
  return r.get<{ id: number }>(sql)?.id ?? 1;
}

/** Has an index bring its new entries to its pages now. */
export function flushIndex(w: Writer, half: Half): void {
  const table = FTS_TABLE[half];
  w.exec(`INSERT INTO ${table}(${table}) VALUES ('flush')`);
}

/** Compares every term of an index with the rows it reads; fails when they disagree. */
export function compareIndex(w: Writer, half: Half): void {
  const table = FTS_TABLE[half];
  w.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
}

/**
 * Asks the linked library whether an index can be flushed, on an index of this connection alone. Older libraries have
 * no such command and answer with an error that says nothing about the file.
 */
export function canFlush(w: Writer): boolean {
  try {
    w.exec("CREATE VIRTUAL TABLE temp.hermes_probe USING fts5(content)");
    w.exec("INSERT INTO temp.hermes_probe(hermes_probe) VALUES ('flush')");
    return true;
  } catch {
    // No such command, no such module, or no room for temporary tables: then it is not used.
    return false;
  }
}

import { TABLES } from "@hermes/state-schema";
import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import type { CellReader } from "../codec/cell-readers.js";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject } from "../codec/json-value.js";
import type { Maybe } from "../codec/maybe.js";
import { pythonJson } from "../codec/python-json.js";
import { RowDecoder } from "../codec/row-decoder.js";
import { parseRoutingJson } from "./parse-routing-json.js";

/** One routing entry: which session a peer talks in, and what the gateway keeps beside. */
export interface RoutingRow {
  readonly scope: Maybe<string>;
  readonly sessionKey: Maybe<string>;
  /** Undefined, and named in `damaged`, where the file holds no JSON object. */
  readonly entry: JsonObject | undefined;
  readonly updatedAtSeconds: Maybe<number>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

interface DecodedRow extends Omit<RoutingRow, "entry"> {
  readonly entryJson: JsonObject | undefined;
}

const readEntry: CellReader = (cell, damaged) => {
  const entry = parseRoutingEntry(cell);
  if (entry === undefined) damaged();
  return entry;
};

/** The entry that a cell holds; undefined where it holds no JSON object. */
export function parseRoutingEntry(cell: SqlValue): JsonObject | undefined {
  if (typeof cell !== "string") return undefined;
  try {
    const value = parseRoutingJson(cell);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // No JSON is no entry; the row says so.
    return undefined;
  }
}

const DECODER = new RowDecoder<DecodedRow>(TABLES.gateway_routing, { readers: { entry_json: readEntry } });

const SELECT_SCOPE = `SELECT ${DECODER.select("r")} FROM gateway_routing AS r WHERE r.scope = ? ORDER BY r.session_key`;
const SELECT_ONE = `SELECT ${DECODER.select("r")} FROM gateway_routing AS r WHERE r.scope = ? AND r.session_key = ?`;

const UPSERT = `
  INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (scope, session_key) DO UPDATE SET entry_json = excluded.entry_json, updated_at = excluded.updated_at`;
const INSERT_NEW = `
  INSERT OR IGNORE INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)`;
const DELETE_ONE = "DELETE FROM gateway_routing WHERE scope = ? AND session_key = ?";
const DELETE_SCOPE = "DELETE FROM gateway_routing WHERE scope = ?";

function decode(cells: readonly SqlValue[]): RoutingRow {
  const { entryJson: entry, damaged, ...row } = DECODER.decode(cells);
  return { ...row, entry, damaged: damaged.map((key) => (key === "entryJson" ? "entry" : key)) };
}

/** The session that an entry names; null where it names none. */
export function sessionOfEntry(entry: JsonObject | undefined): string | null {
  const id = entry?.["session_id"];
  return typeof id === "string" ? id : null;
}

/** The session that a stored entry names; null where there is no entry, or none that can be read. */
export function routedSession(row: RoutingRow | undefined): string | null {
  return sessionOfEntry(row?.entry);
}

/** Every entry of a scope, by key. */
export function loadRoutes(r: Reader, scope: string): RoutingRow[] {
  return r.tuples(SELECT_SCOPE, [scope]).map(decode);
}

/** One entry, or undefined. Keys are compared byte by byte (P19). */
export function findRoute(r: Reader, scope: string, sessionKey: string): RoutingRow | undefined {
  const [cells] = r.tuples(SELECT_ONE, [scope, sessionKey]);
  return cells && decode(cells);
}

/** Stores one entry over an older one. @param now - REAL seconds. */
export function saveRoute(w: Writer, scope: string, sessionKey: string, entry: JsonObject, now: number): void {
  w.run(UPSERT, [scope, sessionKey, pythonJson(entry), now]);
}

/** Stores one entry unless the key has one. @returns Whether it was stored. */
export function addRoute(w: Writer, scope: string, sessionKey: string, entry: JsonObject, now: number): boolean {
  return w.run(INSERT_NEW, [scope, sessionKey, pythonJson(entry), now]).changes > 0;
}

/** Makes these the only entries of a scope. @param now - REAL seconds. */
export function replaceRoutes(w: Writer, scope: string, entries: ReadonlyMap<string, JsonObject>, now: number): void {
  w.run(DELETE_SCOPE, [scope]);
  for (const [sessionKey, entry] of entries) saveRoute(w, scope, sessionKey, entry, now);
}

/** @returns Whether there was one. */
export function deleteRoute(w: Writer, scope: string, sessionKey: string): boolean {
  return w.run(DELETE_ONE, [scope, sessionKey]).changes > 0;
}

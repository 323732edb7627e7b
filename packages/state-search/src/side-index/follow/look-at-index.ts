import { FTS_TABLE, type Reader, type SqlValue } from "@hermes/state-schema";
import { parseStructure, STRUCTURE_ROW, type IndexStructure } from "./index-structure.js";
import { readRecord } from "./read-pages.js";

const CONFIG = `SELECT k, v FROM ${FTS_TABLE.word}_config WHERE k IN ('version', 'automerge')`;
const TABLE_SQL = `SELECT sql FROM sqlite_master WHERE name = '${FTS_TABLE.word}'`;
const SCHEMA = "PRAGMA schema_version";

/** Indexes of this version keep every entry until a merge: a newer one may remove entries from pages in place. */
const VERSION = 4;

/** Where the word index stands now. */
export interface IndexLook {
  /** Changes with every change of the schema: nobody drops a trigger without. */
  readonly schema: number;
  readonly structure: IndexStructure;
}

/** Entries are spelled as {@link leafRowids} reads them, and what is written is counted. */
function isReadable(r: Reader): boolean {
  const config = new Map(r.tuples<[string, SqlValue]>(CONFIG));
  if (config.get("version") !== VERSION || config.get("automerge") === 0) return false;
  const sql = r.get<{ sql: string }>(TABLE_SQL)?.sql ?? "";
  return !/\b(?:detail|contentless_delete)\s*=/i.test(sql);
}

/**
 * Looks at the word index as a log: every insert, update and delete of a message writes its entries into new segments.
 *
 * @returns Undefined when the index is not of the one kind whose format is known here.
 */
export function lookAtIndex(r: Reader): IndexLook | undefined {
  if (!isReadable(r)) return undefined;
  const record = readRecord(r, STRUCTURE_ROW);
  const structure = record && parseStructure(record);
  const schema = r.get<{ schema_version: number }>(SCHEMA)?.schema_version;
  return structure && schema !== undefined ? { schema, structure } : undefined;
}

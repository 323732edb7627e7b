import type { Writer } from "@hermes/state-schema";

const TABLES = ["side_state", "side_row", "side_changed", "side_text"] as const;

/**
 * - `side_state`: one row; its revision is new with every change, so that two processes do not build on one state.
 * - `side_row`: what is held of a message and when it must be read although it is held, see `OddRow`.
 * - `side_changed`: messages that may have changed since they were held.
 * - `side_text`: the tokens. Entries are only added: a message that lost a word is found by it and then judged.
 */
const CREATE = [
  "CREATE TABLE side_state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, state TEXT NOT NULL)",
  "CREATE TABLE side_row (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, odd INTEGER NOT NULL)",
  "CREATE INDEX side_row_odd ON side_row (odd, id) WHERE odd <> 0",
  "CREATE TABLE side_changed (id INTEGER PRIMARY KEY)",
  `CREATE VIRTUAL TABLE side_text
   USING fts5(tokens, content = '', columnsize = 0, detail = none, tokenize = 'ascii')`,
];

/** Makes the file an empty side index, whatever it was, inside the caller's transaction. */
export function createSideTables(w: Writer): void {
  for (const table of TABLES) w.exec(`DROP TABLE IF EXISTS ${table}`);
  for (const statement of CREATE) w.exec(statement);
}

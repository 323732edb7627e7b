import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import { quoted } from "../schema/schema-objects.js";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: number;
  readonly key: number;
}

const COLUMNS = `
  SELECT name, upper(type) AS type, ("notnull" = 1 AND dflt_value IS NULL) AS required, pk AS key
  FROM pragma_table_info(?, 'main')`;

/** Enough words that every index has something to take in, and none that a person would look for. */
const CONTENT = "hermes probe write xyzzyprobe";

/**
 * Writes a session and a message, changes the message and removes both, so that every trigger of the file fires.
 *
 * @param id - An id that no session has.
 */
export function writeProbeRows(w: Writer, id: string): void {
  insert(w, "sessions", { id, source: "cli", started_at: 0 });
  insert(w, "messages", { session_id: id, role: "user", content: CONTENT, timestamp: 0 });
  w.run("UPDATE messages SET content = ? WHERE session_id = ?", [`${CONTENT} again`, id]);
  w.run("DELETE FROM messages WHERE session_id = ?", [id]);
  w.run("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 0)", [id, CONTENT]);
}

/** Fills what the file's own shape demands, whatever its age. */
function insert(w: Writer, table: string, values: Readonly<Record<string, SqlValue>>): void {
  const columns = columnsOf(w, table).filter(({ name, required, key, type }) => {
    if (name in values) return true;
    return required === 1 && !(key > 0 && type === "INTEGER");
  });
  const names = columns.map(({ name }) => quoted(name)).join(", ");
  const marks = columns.map(() => "?").join(", ");
  const cells = columns.map(({ name, type }) => values[name] ?? (/INT|REAL|NUM/.test(type) ? 0 : ""));
  w.run(`INSERT INTO ${quoted(table)} (${names}) VALUES (${marks})`, cells);
}

function columnsOf(r: Reader, table: string): Column[] {
  return r.all<Column & object>(COLUMNS, [table]);
}

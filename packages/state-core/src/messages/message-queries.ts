import { firstOfMessageSql, shownRowSql, visibleSql } from "./display/display-sql.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import type { MessageScope } from "./message-page.js";

const COLUMNS = MESSAGE_DECODER.select("m");

/** Written so that the engine keeps the index on (session_id, id), which is the order we read in. */
const IN_SCOPE: Readonly<Record<MessageScope, string>> = {
  active: "COALESCE(m.active, 1) = 1",
  visible: `${visibleSql("m")} AND ${firstOfMessageSql("m")}`,
  all: "1",
};

/** One message by id. */
export const SELECT_MESSAGE: string = `SELECT ${COLUMNS} FROM messages AS m WHERE m.id = ?`;

/**
 * Messages in insertion order, of one session (parameter: its id) or of several (parameter: a JSON list of ids). One
 * session is read along its index, without a sort.
 */
export function selectTranscriptSql(scope: "active" | "all", sessions: "one" | "several"): string {
  const which = sessions === "one" ? "= ?" : "IN (SELECT value FROM json_each(?))";
  return `SELECT ${COLUMNS} FROM messages AS m WHERE m.session_id ${which} AND ${IN_SCOPE[scope]} ORDER BY m.id`;
}

/**
 * Messages of one session after a place, or before it; parameters: session, place, limit. The last column is the place
 * of the row: its id, or that of the first row of the same message, where it stands in the history (COR-28).
 */
export function selectPageSql(scope: MessageScope, order: "oldest" | "newest"): string {
  const [beyond, direction] = order === "oldest" ? [">", "ASC"] : ["<", "DESC"];
  const page = `WHERE m.session_id = ? AND m.id ${beyond} ? AND ${IN_SCOPE[scope]} ORDER BY m.id ${direction} LIMIT ?`;
  if (scope !== "visible") return `SELECT ${COLUMNS}, m.id AS place FROM messages AS m ${page}`;
  return `SELECT ${MESSAGE_DECODER.select("shown")}, m.id AS place
    FROM messages AS m JOIN messages AS shown ON shown.id = ${shownRowSql("m")} ${page}`;
}

/** How many messages of one session are in a scope. */
export function countSql(scope: MessageScope): string {
  return `SELECT COUNT(*) AS total FROM messages AS m WHERE m.session_id = ? AND ${IN_SCOPE[scope]}`;
}

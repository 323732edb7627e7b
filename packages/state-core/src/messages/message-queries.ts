import { visibleSql } from "./display/visible-sql.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import type { MessageScope } from "./message-page.js";

const COLUMNS = MESSAGE_DECODER.select("m");

/** Written so that the engine keeps the index on (session_id, id), which is the order we read in. */
const IN_SCOPE: Readonly<Record<MessageScope, string>> = {
  active: "COALESCE(m.active, 1) = 1",
  visible: visibleSql("m"),
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
 * Messages of one session after an id, or before it. Parameters: session, id, limit; for `visible`, before the limit, a
 * JSON list of ids to leave out.
 */
export function selectPageSql(scope: MessageScope, order: "oldest" | "newest"): string {
  const [beyond, direction] = order === "oldest" ? [">", "ASC"] : ["<", "DESC"];
  const leftOut = scope === "visible" ? "AND m.id NOT IN (SELECT value FROM json_each(?))" : "";
  return `SELECT ${COLUMNS} FROM messages AS m
    WHERE m.session_id = ? AND m.id ${beyond} ? AND ${IN_SCOPE[scope]} ${leftOut} ORDER BY m.id ${direction} LIMIT ?`;
}

/** Messages by a JSON list of ids. */
export const SELECT_MESSAGES: string = `
  SELECT ${COLUMNS} FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))`;

/** How many messages of one session are in a scope. */
export function countSql(scope: MessageScope): string {
  return `SELECT COUNT(*) AS total FROM messages AS m WHERE m.session_id = ? AND ${IN_SCOPE[scope]}`;
}

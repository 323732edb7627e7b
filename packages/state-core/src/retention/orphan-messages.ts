import { FTS_TABLE } from "@hermes/state-schema";
import type { Reader, Writer } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import { portionsOf } from "./chunks-of.js";
import { removeSessions } from "./remove-sessions.js";

/** Messages of a session that has no row. */
export interface OrphanMessages {
  readonly sessionId: string;
  readonly messages: number;
}

/** Messages that belong to no session, so that no reader ever shows them. */
export interface OrphanReport {
  readonly messages: number;
  /** By the session they name, the most messages first. */
  readonly sessions: readonly OrphanMessages[];
}

const NO_SESSION = "NOT EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = m.session_id)";
const BY_SESSION = `
  SELECT m.session_id AS sessionId, COUNT(*) AS messages FROM messages AS m WHERE ${NO_SESSION}
  GROUP BY m.session_id ORDER BY messages DESC, m.session_id`;

const AMONG = "IN (SELECT value FROM json_each(?))";
const OF_SESSIONS = `SELECT m.id FROM messages AS m WHERE m.session_id ${AMONG} AND ${NO_SESSION}`;
const HAS_TRIGRAM = `SELECT 1 AS found FROM sqlite_master WHERE name = '${FTS_TABLE.trigram}_docsize'`;
const IN_TRIGRAM = `SELECT id FROM ${FTS_TABLE.trigram}_docsize WHERE id ${AMONG}`;
const STAND_IN = `
  INSERT INTO sessions (id, source, started_at)
  SELECT DISTINCT m.session_id, 'unknown', 0 FROM messages AS m WHERE m.id ${AMONG} RETURNING id`;
const DELETE_MESSAGES = `DELETE FROM messages WHERE id ${AMONG}`;

/** Reports messages without a session. */
export function findOrphans(r: Reader): OrphanReport {
  const sessions = r.all<OrphanMessages & object>(BY_SESSION);
  return { messages: sessions.reduce((sum, { messages }) => sum + messages, 0), sessions };
}

/**
 * Whether a message is in the trigram index depends on its session, and its trigger asks the session's row. So rows
 * that are in it are deleted under a row that stands in for the lost one, and the others without any.
 */
function deleteOrphans(w: Writer, sessionIds: readonly string[]): void {
  const ids = w.tuples<[number]>(OF_SESSIONS, [JSON.stringify(sessionIds)]).map(([id]) => id);
  const list = JSON.stringify(ids);
  const indexed = w.get(HAS_TRIGRAM) ? w.tuples<[number]>(IN_TRIGRAM, [list]).map(([id]) => id) : [];
  const others = new Set(ids);
  for (const id of indexed) others.delete(id);
  w.run(DELETE_MESSAGES, [JSON.stringify([...others])]);
  const standIns = w.tuples<[string]>(STAND_IN, [JSON.stringify(indexed)]).map(([id]) => id);
  removeSessions(w, standIns);
}

/**
 * Deletes messages that belong to no session, and what the search index holds of them.
 *
 * @returns What was there.
 */
export function removeOrphans(context: StoreContext, options: { readonly dryRun?: boolean }): OrphanReport {
  const what = "retention.removeOrphans";
  checkKnownOptions(what, options, ["dryRun"]);
  checkBooleans(what, options, ["dryRun"]);
  const report = context.read(findOrphans);
  if (options.dryRun || report.messages === 0) return report;
  const messagesOf = new Map(report.sessions.map(({ sessionId, messages }) => [sessionId, messages]));
  for (const portion of portionsOf([...messagesOf.keys()], (id) => messagesOf.get(id) ?? 0)) {
    context.write("remove messages without a session", (w) => deleteOrphans(w, portion));
  }
  return report;
}

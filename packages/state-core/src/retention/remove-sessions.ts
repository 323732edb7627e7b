import type { Writer } from "@hermes/state-schema";
import { releasePrompt } from "../sessions/prompts.js";
import { chunksOf } from "./chunks-of.js";

const AMONG = "IN (SELECT value FROM json_each(?))";

const PROMPTS = `SELECT DISTINCT system_prompt_hash, tool_names FROM sessions WHERE id ${AMONG}`;
const LEAVE_CHILDREN = `UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id ${AMONG}`;
const DELETE_MESSAGES = `DELETE FROM messages WHERE session_id ${AMONG}`;
const DELETE_SESSIONS = `DELETE FROM sessions WHERE id ${AMONG}`;

/** Names of tools are stored as a hash by some writers and as a list by others. */
const HASH = /^[0-9a-f]{64}$/;

/** What a removal took away. */
export interface Removed {
  readonly sessions: number;
  readonly messages: number;
}

/**
 * Deletes sessions with their messages, inside the caller's transaction: children that stay lose their parent, and
 * prompts that nobody uses any more go too. The messages go first, while the index can still see which session they
 * belong to; usage and bindings go with the session's row.
 */
export function removeSessions(w: Writer, ids: readonly string[]): Removed {
  let sessions = 0;
  let messages = 0;
  const prompts = new Set<string>();
  for (const chunk of chunksOf(ids)) {
    const list = JSON.stringify(chunk);
    for (const hash of w.tuples(PROMPTS, [list]).flat()) {
      if (typeof hash === "string" && HASH.test(hash)) prompts.add(hash);
    }
    w.run(LEAVE_CHILDREN, [list]);
    messages += w.run(DELETE_MESSAGES, [list]).changes;
    sessions += w.run(DELETE_SESSIONS, [list]).changes;
  }
  for (const hash of prompts) releasePrompt(w, hash);
  return { sessions, messages };
}

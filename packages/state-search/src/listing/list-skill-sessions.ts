import { checkKnownOptions, saneSecondsSql } from "@hermes/state-core";
import { visibleSql } from "../routes/filter-sql.js";
import { checkCount } from "./check-count.js";
import type { ListingStore } from "./listing-store.js";

/** A titled session that began with a skill. */
export interface SkillSession {
  readonly id: string;
  readonly title: string;
  /** The whole first message of the user: what the skill was expanded to. */
  readonly content: string;
}

const DEFAULT_LIMIT = 200;

/** How a message begins that a skill invocation was expanded to. */
const OPENING = '[IMPORTANT: The user has invoked the "';

const SELECT_SCAFFOLDED = `
  SELECT s.id AS id, s.title AS title, m.content AS content
  FROM sessions AS s JOIN messages AS m ON m.id = (
    SELECT m.id FROM messages AS m
    WHERE m.session_id = s.id AND m.role = 'user' AND m.content <> '' AND m._compressed_summary = 0
      AND ${visibleSql(false)}
    ORDER BY m.id LIMIT 1)
  WHERE s.title <> '' AND substr(m.content, 1, ${String(OPENING.length)}) = ?
  ORDER BY COALESCE(${saneSecondsSql("s.started_at")}, -1) DESC, s.id DESC LIMIT ?`;

/**
 * Titled sessions whose first message is the body of a skill, the newest first: their titles were made from the body
 * and not from what the user typed (SEA-16).
 *
 * @param options - `limit`: sessions, 0 to 10,000; default 200.
 * @throws TypeError for an unknown option, RangeError for an impossible limit.
 */
export function listSkillSessions(
  store: ListingStore,
  options: { readonly limit?: number } = {},
): readonly SkillSession[] {
  checkKnownOptions("listSkillSessions", options, ["limit"]);
  const limit = checkCount("listSkillSessions: limit", options.limit ?? DEFAULT_LIMIT);
  return store.read((r) => r.all<SkillSession>(SELECT_SCAFFOLDED, [OPENING, limit]));
}

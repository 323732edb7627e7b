import {
  activitySql,
  checkKnownOptions,
  likeEscape,
  markerSql,
  SESSION_DECODER,
  type SessionRow,
  segmentsBefore,
  walkContinuations,
} from "@hermes/state-core";
import type { Reader, SqlValue } from "@hermes/state-schema";
import { allSql, type SqlCondition } from "../compile/sql-condition.js";
import { checkCount } from "./check-count.js";
import type { ListingStore } from "./listing-store.js";

/** How an id answers a text: it is the text, begins with it, or holds it. */
export type IdRank = "exact" | "prefix" | "substring";

/** Which sessions, and how many. */
export interface IdSearchOptions {
  /** Conversations, 0 to 10,000; default 20. */
  readonly limit?: number;
  /** Default true. */
  readonly includeArchived?: boolean;
  /** Only sessions of these sources; an empty list finds nothing. */
  readonly sources?: readonly string[];
  /** No sessions of these sources. */
  readonly excludeSources?: readonly string[];
}

/** One conversation, shown as its tip, of which a segment has the id that was looked for. */
export interface IdMatch {
  readonly session: SessionRow;
  readonly matchedId: string;
  readonly rank: IdRank;
  /** First segment of the conversation. */
  readonly lineageRootId: string;
}

const KNOWN: readonly (keyof IdSearchOptions)[] = ["limit", "includeArchived", "sources", "excludeSources"];
const RANKS: readonly IdRank[] = ["exact", "prefix", "substring"];
const DEFAULT_LIMIT = 20;
const CHUNK = 200;

/** Ranks before it cuts, so that no number of newer ids can push an exact one out (SEA-16). */
const selectRanked = (where: string): string => `
  SELECT id, place FROM (
    SELECT s.id AS id, ${activitySql("s")} AS active,
      CASE WHEN lower(s.id) = lower(?) THEN 0 WHEN s.id LIKE ? ESCAPE '\\' THEN 1 ELSE 2 END AS place,
      COALESCE(${markerSql("s", "_delegate_from")} IS NOT NULL, 0) AS delegate
    FROM sessions AS s WHERE s.id LIKE ? ESCAPE '\\' AND ${where}
  ) WHERE place = 0 OR NOT delegate
  ORDER BY place, active DESC, id LIMIT ? OFFSET ?`;

const SELECT_SESSIONS = `
  SELECT ${SESSION_DECODER.select("s")} FROM json_each(?) AS wanted JOIN sessions AS s ON s.id = wanted.value`;

interface Ranked {
  readonly id: string;
  readonly place: number;
}

function filtersOf(options: IdSearchOptions): SqlCondition {
  const { includeArchived = true, sources, excludeSources } = options;
  const listed = (sql: string, values: readonly string[]): SqlCondition => ({ sql, params: [JSON.stringify(values)] });
  return allSql([
    { sql: includeArchived ? "1" : "COALESCE(s.archived, 0) = 0", params: [] },
    ...(sources ? [listed("s.source IN (SELECT value FROM json_each(?))", sources)] : []),
    ...(excludeSources ? [listed("s.source NOT IN (SELECT value FROM json_each(?))", excludeSources)] : []),
  ]);
}

/** The best ranked id of each conversation, by the tip it is shown as. */
function rankedTips(r: Reader, text: string, limit: number, filters: SqlCondition): Map<string, Ranked> {
  const literal = likeEscape(text);
  const sql = selectRanked(filters.sql);
  const tips = new Map<string, Ranked>();
  for (let offset = 0; tips.size < limit; offset += CHUNK) {
    const params: SqlValue[] = [text, `${literal}%`, `%${literal}%`, ...filters.params, CHUNK, offset];
    const rows = r.all<{ id: string; place: number }>(sql, params);
    const chains = walkContinuations(r, rows.map((row) => row.id));
    for (const row of rows) {
      const tip = chains.get(row.id)?.at(-1) ?? row.id;
      if (tips.size < limit && !tips.has(tip)) tips.set(tip, row);
    }
    if (rows.length < CHUNK) break;
  }
  return tips;
}

/**
 * Finds conversations by a part of the id of any of their segments; case of ASCII letters does not matter. An exact id
 * comes first, then ids that begin with the text, then the rest, each the most recently active first (SEA-16).
 *
 * @param text - Surrounding space is ignored; empty text finds nothing.
 * @throws TypeError for an unknown option, RangeError for an impossible limit.
 */
export function findSessionsById(store: ListingStore, text: string, options: IdSearchOptions = {}): readonly IdMatch[] {
  checkKnownOptions("findSessionsById", options, KNOWN);
  const limit = checkCount("findSessionsById: limit", options.limit ?? DEFAULT_LIMIT);
  const wanted = text.trim();
  // LIKE ends at a NUL, so text with one would match what begins like its first half.
  if (wanted === "" || wanted.includes("\0") || limit === 0) return [];
  return store.read((r) => {
    const tips = rankedTips(r, wanted, limit, filtersOf(options));
    const sessions = new Map(
      r.tuples(SELECT_SESSIONS, [JSON.stringify([...tips.keys()])]).map((cells) => {
        const session = SESSION_DECODER.decode(cells);
        return [session.id, session];
      }),
    );
    return [...tips].flatMap(([tip, { id, place }]) => {
      const session = sessions.get(tip);
      if (!session) return [];
      const lineageRootId = segmentsBefore(r, tip)[0] ?? tip;
      return [{ session, matchedId: id, rank: RANKS[place] as IdRank, lineageRootId }];
    });
  });
}

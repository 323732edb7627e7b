import { INDEXED_TOOL_CHARACTERS, type Reader, type SqlValue } from "@hermes/state-schema";
import { allSql, type SqlCondition } from "../compile/sql-condition.js";
import { judge } from "../judge/judge.js";
import { messageTexts } from "../judge/message-texts.js";
import type { QueryNode } from "../language/query.js";
import type { SideReading } from "../side-index/side-reading.js";
import { SECONDS } from "./filter-sql.js";

/** A message that answers the query, and where it stands in time. */
export interface Match {
  readonly id: number;
  readonly sessionId: string;
  readonly seconds: number;
}

/** What every step of one search needs. */
export interface SearchScope {
  readonly r: Reader;
  readonly root: QueryNode;
  /** A condition on `messages AS m` and `sessions AS s`. */
  readonly filters: SqlCondition;
  /** Something besides visibility was asked for, so that many matches may fall away. */
  readonly filtered: boolean;
  readonly wholeToolOutput: boolean;
  readonly side: SideReading | undefined;
}

/** Messages that no index speaks for, so that they have to be read: listed ones, and all behind an id. */
export interface UnreadRows {
  readonly ids: readonly number[];
  readonly after: number;
}

/** Nothing but reading tells. */
export const ALL_ROWS: UnreadRows = { ids: [], after: Number.MIN_SAFE_INTEGER };

/** How many rows are read and judged at a time; texts may be large, and a page is seldom long. */
const LISTED_CHUNK = 32;
const SCAN_CHUNK = 64;
const BYTES_PER_CHARACTER = 4;
/** One character more than counts, so that the judge sees whether the cut goes through a word. */
const PREFIX_BYTES = (INDEXED_TOOL_CHARACTERS + 1) * BYTES_PER_CHARACTER;

/** Output of tools comes no further than it counts: by bytes, since the engine's `substr` stops at a NUL. */
const BOUNDED_CONTENT = `CASE WHEN m.role = 'tool' AND NOT (m.content < char(1))
  THEN CAST(substr(CAST(m.content AS BLOB), 1, ${PREFIX_BYTES}) AS TEXT) ELSE m.content END`;

type Cells = readonly [
  id: number,
  sessionId: string,
  seconds: number,
  role: SqlValue,
  content: SqlValue,
  toolName: SqlValue,
  toolCalls: SqlValue,
];

/** The content of `messages AS m` as far as a search covers it. */
export function contentSql(wholeToolOutput: boolean): string {
  return wholeToolOutput ? "m.content" : BOUNDED_CONTENT;
}

function columns(scope: SearchScope): string {
  return `m.id, m.session_id, ${SECONDS}, m.role, ${contentSql(scope.wholeToolOutput)}, m.tool_name, m.tool_calls`;
}

function selectListed(scope: SearchScope, condition: SqlCondition): string {
  return `
    SELECT ${columns(scope)}
    FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value
    LEFT JOIN sessions AS s ON s.id = m.session_id
    WHERE ${condition.sql}`;
}

function selectAfter(scope: SearchScope, condition: SqlCondition): string {
  return `
    SELECT ${columns(scope)}
    FROM messages AS m LEFT JOIN sessions AS s ON s.id = m.session_id
    WHERE m.id > ? AND ${condition.sql}
    ORDER BY m.id LIMIT ${SCAN_CHUNK}`;
}

function answers(scope: SearchScope, cells: Cells): boolean {
  const [, , , role, content, toolName, toolCalls] = cells;
  return judge(scope.root, messageTexts({ role, content, toolName, toolCalls }, scope.wholeToolOutput));
}

function matchOf([id, sessionId, seconds]: Cells): Match {
  return { id, sessionId, seconds };
}

/** Judges messages that an index named, in the order given, a few at a time and no more than the caller takes. */
export function* judgeListed(scope: SearchScope, ids: readonly number[]): Generator<Match> {
  for (let at = 0; at < ids.length; at += LISTED_CHUNK) {
    const chunk = ids.slice(at, at + LISTED_CHUNK);
    const sql = selectListed(scope, scope.filters);
    const rows = scope.r.tuples<Cells>(sql, [JSON.stringify(chunk), ...scope.filters.params]);
    const byId = new Map(rows.map((cells) => [cells[0], cells]));
    for (const id of chunk) {
      const cells = byId.get(id);
      if (cells && answers(scope, cells)) yield matchOf(cells);
    }
  }
}

function* readAfter(scope: SearchScope, condition: SqlCondition, start: number): Generator<readonly Cells[]> {
  const sql = selectAfter(scope, condition);
  for (let after = start; ;) {
    const rows = scope.r.tuples<Cells>(sql, [after, ...condition.params]);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < SCAN_CHUNK) return;
    after = last[0];
  }
}

function* readListed(scope: SearchScope, condition: SqlCondition, ids: readonly number[]): Generator<readonly Cells[]> {
  const sql = selectListed(scope, condition);
  for (let at = 0; at < ids.length; at += SCAN_CHUNK) {
    const chunk = ids.slice(at, at + SCAN_CHUNK);
    yield scope.r.tuples<Cells>(sql, [JSON.stringify(chunk), ...condition.params]);
  }
}

/**
 * Judges every message of those that have to be read which fulfils a condition, by keyset over the ids (no cursor stays
 * open).
 *
 * @param known - Ids that were judged already.
 */
export function judgeUnread(
  scope: SearchScope,
  unread: UnreadRows,
  condition: SqlCondition,
  known: ReadonlySet<number>,
): Match[] {
  const where = allSql([scope.filters, condition]);
  const matches: Match[] = [];
  for (const rows of [readListed(scope, where, unread.ids), readAfter(scope, where, unread.after)]) {
    for (const cells of [...rows].flat()) {
      if (!known.has(cells[0]) && answers(scope, cells)) matches.push(matchOf(cells));
    }
  }
  return matches;
}

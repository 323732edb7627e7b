import type { SqlValue } from "@hermes/state-schema";
import { likeEscape } from "../../codec/like-escape.js";
import { saneSecondsSql } from "../../codec/seconds.js";
import { forkSql, markedSql, markerSql } from "../../lineage/fork-sql.js";
import { BOUNDARY_END_REASONS, BRANCHED_END_REASON } from "../end-reasons.js";
import type { SessionFilter } from "./session-filter.js";

/** A condition on `sessions AS s` and what to bind to it. */
export interface FilterSql {
  readonly where: string;
  readonly params: readonly SqlValue[];
}

const LEFT_BY = [BRANCHED_END_REASON, ...BOUNDARY_END_REASONS].map((reason) => `'${reason}'`).join(", ");

/** A child that old writers left unmarked: it started once its parent had ended for good. */
const UNMARKED_FORK = `EXISTS (SELECT 1 FROM sessions AS parent
    WHERE parent.id = s.parent_session_id AND parent.end_reason IN (${LEFT_BY})
      AND ${saneSecondsSql("s.started_at")} >= ${saneSecondsSql("parent.ended_at")})`;

/** What stands for itself in a listing: roots, branches and resets; never a delegate, also when its parent is gone. */
const OWN_CONVERSATION = `(s.parent_session_id IS NULL OR ${markedSql("s", "_branched_from")}
    OR ${markedSql("s", "_reset_from")} OR ${UNMARKED_FORK})
  AND (s.model_config IS NULL OR ${markerSql("s", "_delegate_from")} IS NULL)`;

/** Ids of a session and of every continuation of it; a set, so a cycle ends. */
const SEGMENTS = `WITH RECURSIVE segments (id) AS (
      SELECT s.id
      UNION
      SELECT child.id FROM segments
      JOIN sessions AS closed ON closed.id = segments.id AND closed.end_reason = 'compression'
      JOIN sessions AS child ON child.parent_session_id = closed.id
      WHERE NOT ${forkSql("child")}
    )`;

/**
 * SQL over all segments of the conversation that begins with `s`. The recursion is run for compacted sessions only.
 *
 * @param single - The expression for a session that stands alone, over alias `s`.
 * @param aggregate - The same over all segments, over alias `part`.
 */
export function overSegmentsSql(single: string, aggregate: string): string {
  return `CASE WHEN s.end_reason IS 'compression'
    THEN (${SEGMENTS} SELECT ${aggregate} FROM segments JOIN sessions AS part ON part.id = segments.id)
    ELSE ${single} END`;
}

const BARE_TITLE = (alias: string): string =>
  `replace(replace(replace(replace(${alias}.title, '-', ''), '_', ''), '.', ''), ' ', '')`;

class Conditions {
  readonly #where: string[] = [];
  readonly #params: SqlValue[] = [];

  add(condition: string, ...params: SqlValue[]): void {
    this.#where.push(`(${condition})`);
    this.#params.push(...params);
  }

  /** A condition on any segment: `test` is given the alias, and its parameters are bound once per use. */
  addAnySegment(test: (alias: string) => string, params: readonly SqlValue[]): void {
    this.add(overSegmentsSql(test("s"), `MAX(${test("part")})`), ...params, ...params);
  }

  done(): FilterSql {
    return { where: this.#where.length === 0 ? "1" : this.#where.join(" AND "), params: this.#params };
  }
}

function contains(text: string): string {
  return `%${likeEscape(text)}%`;
}

function addSearch(conditions: Conditions, query: string): void {
  const bare = query.replace(/[^\p{L}\p{N}]+/gu, "");
  const like = (expression: string): string => `COALESCE(${expression} LIKE ? ESCAPE '\\', 0)`;
  conditions.addAnySegment(
    (alias) =>
      [like(`${alias}.id`), like(`${alias}.title`), ...(bare === "" ? [] : [like(BARE_TITLE(alias))])].join(" OR "),
    [contains(query), contains(query), ...(bare === "" ? [] : [contains(bare)])],
  );
}

/** Compared byte by byte: two folders that differ in case are two folders. */
function addCwd(conditions: Conditions, prefix: string): void {
  const folder = prefix.replace(/[/\\]+$/, "");
  const below = Array.from(folder).length + 1;
  const roots = [`${folder}/`, `${folder}\\`];
  conditions.add("s.cwd IN (?, ?) OR substr(s.cwd, 1, ?) IN (?, ?)", prefix, folder, below, ...roots);
}

function addSources(conditions: Conditions, { source, sources, excludeSources }: SessionFilter): void {
  if (source !== undefined) conditions.add("s.source = ?", source);
  if (sources) conditions.add("s.source IN (SELECT value FROM json_each(?))", JSON.stringify(sources));
  if (excludeSources?.length) {
    conditions.add("s.source NOT IN (SELECT value FROM json_each(?))", JSON.stringify(excludeSources));
  }
}

function addFlags(conditions: Conditions, { archived = "hide", hidden = "hide" }: SessionFilter): void {
  if (archived !== "include") conditions.add(`s.archived ${archived === "only" ? "<>" : "="} 0`);
  if (hidden === "hide" && archived !== "only") conditions.add("s.hidden = 0");
}

/**
 * The condition a filter stands for. Listing, counting and iterating all build it here, so they can never disagree
 * (COR-31).
 */
export function filterSql(filter: SessionFilter): FilterSql {
  const conditions = new Conditions();
  addSources(conditions, filter);
  addFlags(conditions, filter);
  if (!filter.includeChildren) conditions.add(OWN_CONVERSATION);
  if (filter.sessionKey !== undefined) conditions.add("s.session_key = ?", filter.sessionKey);
  if (filter.userId !== undefined) conditions.add("s.user_id = ?", filter.userId);
  if (filter.chatId !== undefined) conditions.add("s.chat_id = ?", filter.chatId);
  if (filter.minMessageCount !== undefined) conditions.add("s.message_count >= ?", filter.minMessageCount);
  if (filter.cwdPrefix !== undefined) addCwd(conditions, filter.cwdPrefix);
  if (filter.idQuery) {
    conditions.addAnySegment((alias) => `COALESCE(${alias}.id LIKE ? ESCAPE '\\', 0)`, [contains(filter.idQuery)]);
  }
  if (filter.searchQuery) addSearch(conditions, filter.searchQuery);
  return conditions.done();
}

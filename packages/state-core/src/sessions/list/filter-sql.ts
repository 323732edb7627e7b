import type { SqlValue } from "@hermes/state-schema";
import { saneSecondsSql } from "../../codec/seconds.js";
import { forkSql, markedSql, markerSql } from "../../lineage/fork-sql.js";
import { BOUNDARY_END_REASONS, BRANCHED_END_REASON } from "../end-reasons.js";
import { activitySql } from "../activity-sql.js";
import { Conditions } from "./conditions.js";
import type { FilterSql } from "./conditions.js";
import { addMatch, contains, containsSql } from "./match-sql.js";
import type { SessionFilter } from "./session-filter.js";

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
function overSegmentsSql(single: string, aggregate: string): string {
  return `CASE WHEN s.end_reason IS 'compression'
    THEN (${SEGMENTS} SELECT ${aggregate} FROM segments JOIN sessions AS part ON part.id = segments.id)
    ELSE ${single} END`;
}

/** SQL for the last activity of a listed conversation: it is as active as its most active segment. */
export const ACTIVITY: string = overSegmentsSql(activitySql("s"), `MAX(${activitySql("part")})`);

const BARE_TITLE = (alias: string): string =>
  `replace(replace(replace(replace(${alias}.title, '-', ''), '_', ''), '.', ''), ' ', '')`;

/** A condition on any segment: `test` is given the alias, and its parameters are bound once per use. */
function addAnySegment(conditions: Conditions, test: (alias: string) => string, params: readonly SqlValue[]): void {
  conditions.add(overSegmentsSql(test("s"), `MAX(${test("part")})`), ...params, ...params);
}

function addSearch(conditions: Conditions, query: string): void {
  const bare = query.replace(/[^\p{L}\p{N}]+/gu, "");
  addAnySegment(
    conditions,
    (alias) =>
      [`${alias}.id`, `${alias}.title`, ...(bare === "" ? [] : [BARE_TITLE(alias)])].map(containsSql).join(" OR "),
    [contains(query), contains(query), ...(bare === "" ? [] : [contains(bare)])],
  );
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
  addMatch(conditions, filter, ACTIVITY);
  addFlags(conditions, filter);
  if (!filter.includeChildren) conditions.add(OWN_CONVERSATION);
  if (filter.idQuery) addAnySegment(conditions, (alias) => containsSql(`${alias}.id`), [contains(filter.idQuery)]);
  if (filter.searchQuery) addSearch(conditions, filter.searchQuery);
  return conditions.done();
}

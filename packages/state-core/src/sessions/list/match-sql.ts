import { likeEscape } from "../../codec/like-escape.js";
import { saneSecondsSql } from "../../codec/seconds.js";
import type { Conditions } from "./conditions.js";
import type { SessionMatch } from "./session-match.js";

const EXACT = {
  source: "s.source",
  sessionKey: "s.session_key",
  userId: "s.user_id",
  chatId: "s.chat_id",
  chatType: "s.chat_type",
  endReason: "s.end_reason",
} as const;

const PARTS = { titleLike: "s.title", modelLike: "s.model", branchLike: "s.git_branch" } as const;

/** Text in a column of numbers is greater than every number: it must not pass a bound (P28). */
function numberSql(expression: string): string {
  return `CASE typeof(${expression}) WHEN 'integer' THEN ${expression} WHEN 'real' THEN ${expression}
    WHEN 'null' THEN 0 END`;
}

const MESSAGES = numberSql("s.message_count");
const TOOL_CALLS = numberSql("s.tool_call_count");
const TOKENS = `${numberSql("s.input_tokens")} + ${numberSql("s.output_tokens")}`;
const COST = numberSql("COALESCE(s.actual_cost_usd, s.estimated_cost_usd)");

const BOUNDS = {
  minMessageCount: `${MESSAGES} >= ?`,
  maxMessageCount: `${MESSAGES} <= ?`,
  minToolCallCount: `${TOOL_CALLS} >= ?`,
  maxToolCallCount: `${TOOL_CALLS} <= ?`,
  minTokens: `${TOKENS} >= ?`,
  maxTokens: `${TOKENS} <= ?`,
  minCostUsd: `${COST} >= ?`,
  maxCostUsd: `${COST} <= ?`,
  startedBeforeSeconds: `${saneSecondsSql("s.started_at")} < ?`,
  startedAfterSeconds: `${saneSecondsSql("s.started_at")} >= ?`,
} as const;

function keysOf<T extends object>(record: T): (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

/** Text that stands for itself inside a LIKE pattern, anywhere in what is looked at. */
export function contains(text: string): string {
  return `%${likeEscape(text)}%`;
}

/** True where the text is a part of the expression; false where that is NULL. Binds {@link contains}. */
export function containsSql(expression: string): string {
  return `COALESCE(${expression} LIKE ? ESCAPE '\\', 0)`;
}

/** Compared byte by byte: two folders that differ in case are two folders. */
function addCwd(conditions: Conditions, prefix: string): void {
  const folder = prefix.replace(/[/\\]+$/, "");
  const below = Array.from(folder).length + 1;
  const roots = [`${folder}/`, `${folder}\\`];
  conditions.add("s.cwd IN (?, ?) OR substr(s.cwd, 1, ?) IN (?, ?)", prefix, folder, below, ...roots);
}

function addSources(conditions: Conditions, { sources, excludeSources }: SessionMatch): void {
  if (sources) conditions.add("s.source IN (SELECT value FROM json_each(?))", JSON.stringify(sources));
  if (excludeSources?.length) {
    conditions.add("s.source NOT IN (SELECT value FROM json_each(?))", JSON.stringify(excludeSources));
  }
}

/** @param activity - SQL for the moment of the last activity, negative where there is none. */
function addActivity(conditions: Conditions, match: SessionMatch, activity: string): void {
  const { lastActiveBeforeSeconds: before, lastActiveAfterSeconds: after } = match;
  if (before === undefined && after === undefined) return;
  const bounds = [...(before === undefined ? [] : ["moment < ?"]), ...(after === undefined ? [] : ["moment >= ?"])];
  const params = [before, after].filter((bound) => bound !== undefined);
  conditions.add(
    `(SELECT moment >= 0 AND ${bounds.join(" AND ")} FROM (SELECT ${activity} AS moment LIMIT 1))`,
    ...params,
  );
}

/**
 * Adds what a session itself must be like.
 *
 * @param activity - SQL over `s` for the moment of the last activity, negative where there is none.
 */
export function addMatch(conditions: Conditions, match: SessionMatch, activity: string): void {
  for (const key of keysOf(EXACT)) {
    if (match[key] !== undefined) conditions.add(`${EXACT[key]} = ?`, match[key]);
  }
  addSources(conditions, match);
  if (match.cwdPrefix !== undefined) addCwd(conditions, match.cwdPrefix);
  for (const key of keysOf(PARTS)) {
    if (match[key] !== undefined) conditions.add(containsSql(PARTS[key]), contains(match[key]));
  }
  if (match.provider !== undefined) conditions.add("s.billing_provider = ? COLLATE NOCASE", match.provider);
  for (const key of keysOf(BOUNDS)) {
    if (match[key] !== undefined) conditions.add(BOUNDS[key], match[key]);
  }
  addActivity(conditions, match, activity);
}

import { isSaneSeconds } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";
import { messageTexts } from "../judge/message-texts.js";
import { positiveTerms } from "../language/tree.js";
import { contentSql, type Match, type SearchScope } from "../routes/candidates.js";
import { readContext } from "./read-context.js";
import type { HitField, SearchHit } from "./search-hit.js";
import { HIT_FIELDS } from "./search-hit.js";
import { snippetOf } from "./snippet.js";

/** Rows read at a time; texts may be large. */
const CHUNK = 32;

interface HitRow {
  readonly id: number;
  readonly sessionId: string;
  readonly role: string;
  readonly timestamp: SqlValue;
  readonly toolName: string | null;
  readonly source: string | null;
  readonly model: string | null;
  readonly startedAt: SqlValue;
  readonly content: SqlValue;
  readonly toolCalls: SqlValue;
}

function selectHits(wholeToolOutput: boolean): string {
  return `
    SELECT m.id AS id, m.session_id AS sessionId, m.role AS role, m.timestamp AS timestamp, m.tool_name AS toolName,
      s.source AS source, s.model AS model, s.started_at AS startedAt, ${contentSql(wholeToolOutput)} AS content,
      m.tool_calls AS toolCalls
    FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value
    LEFT JOIN sessions AS s ON s.id = m.session_id`;
}

function moment(cell: SqlValue): number | undefined {
  return isSaneSeconds(cell) ? cell : undefined;
}

function hitOf(scope: SearchScope, row: HitRow): Omit<SearchHit, "context"> {
  return {
    id: row.id,
    sessionId: row.sessionId,
    role: row.role,
    snippet: snippetOf(messageTexts(row, scope.wholeToolOutput), positiveTerms(scope.root)),
    timestampSeconds: moment(row.timestamp),
    toolName: row.toolName,
    source: row.source,
    model: row.model,
    sessionStartedAtSeconds: moment(row.startedAt),
  };
}

/**
 * Reads what a page shows of its matches.
 *
 * @param visible - A condition on `messages AS m` for the neighbours of a hit, without parameters.
 */
export function readHits(
  scope: SearchScope,
  matches: readonly Match[],
  fields: ReadonlySet<HitField>,
  visible: string,
): Partial<SearchHit>[] {
  const ids = matches.map((match) => match.id);
  const shown = new Map<number, Omit<SearchHit, "context">>();
  const sql = selectHits(scope.wholeToolOutput);
  for (let at = 0; fields.size > 0 && at < ids.length; at += CHUNK) {
    for (const row of scope.r.all<HitRow>(sql, [JSON.stringify(ids.slice(at, at + CHUNK))])) {
      shown.set(row.id, hitOf(scope, row));
    }
  }
  const context = fields.has("context") ? readContext(scope.r, ids, visible) : undefined;
  return ids.map((id) => {
    const hit: Partial<SearchHit> = { ...shown.get(id), ...(context && { context: context.get(id) ?? [] }) };
    return Object.fromEntries(HIT_FIELDS.filter((field) => fields.has(field)).map((field) => [field, hit[field]]));
  });
}

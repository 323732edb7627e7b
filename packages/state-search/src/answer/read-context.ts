import { contentText, decodeContent } from "@hermes/state-core";
import type { Reader, SqlValue } from "@hermes/state-schema";
import { firstCharacters } from "../meaning/first-characters.js";
import type { ContextMessage } from "./search-hit.js";

/** How many hits one statement looks beside (SEA-06). */
const BATCH = 500;
const CHARACTERS = 200;
const BYTES = CHARACTERS * 4;

/** Enough of a text for 200 characters; stored JSON is needed whole. */
const START = `CASE WHEN m.content < char(1) THEN m.content
  ELSE CAST(substr(CAST(m.content AS BLOB), 1, ${BYTES}) AS TEXT) END`;

function neighbour(side: "before" | "after", visible: string): string {
  const [sign, direction] = side === "before" ? ["<", "DESC"] : [">", "ASC"];
  return `(
    SELECT m.id FROM messages AS m
    WHERE m.session_id = hit.session_id AND (m.timestamp, m.id) ${sign} (hit.timestamp, hit.id) AND ${visible}
    ORDER BY m.timestamp ${direction}, m.id ${direction} LIMIT 1)`;
}

function selectContext(visible: string): string {
  return `
    WITH hit AS MATERIALIZED (
      SELECT hits.id, hits.session_id, hits.timestamp
      FROM json_each(?) AS wanted CROSS JOIN messages AS hits ON hits.id = wanted.value
    ), beside (hit_id, place, id) AS (
      SELECT hit.id, -1, ${neighbour("before", visible)} FROM hit
      UNION ALL SELECT hit.id, 0, hit.id FROM hit
      UNION ALL SELECT hit.id, 1, ${neighbour("after", visible)} FROM hit
    )
    SELECT beside.hit_id, m.id, m.role, ${START}
    FROM beside CROSS JOIN messages AS m ON m.id = beside.id
    ORDER BY beside.hit_id, beside.place`;
}

type Cells = readonly [hitId: number, id: number, role: string, content: SqlValue];

function startOf(content: SqlValue): string {
  return firstCharacters(contentText(decodeContent(content)), CHARACTERS);
}

/**
 * Reads the message before and after each hit, in the order of its session by time and id, under the same visibility as
 * the hits (SEA-06).
 *
 * @param visible - A condition on `messages AS m`, without parameters.
 */
export function readContext(
  r: Reader,
  ids: readonly number[],
  visible: string,
): ReadonlyMap<number, readonly ContextMessage[]> {
  const context = new Map<number, ContextMessage[]>();
  const sql = selectContext(visible);
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const [hitId, id, role, content] of r.tuples<Cells>(sql, [JSON.stringify(ids.slice(at, at + BATCH))])) {
      const messages = context.get(hitId) ?? [];
      messages.push({ id, role, text: startOf(content) });
      context.set(hitId, messages);
    }
  }
  return context;
}

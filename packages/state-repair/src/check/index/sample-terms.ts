import { FTS_TABLE } from "@hermes/state-schema";
import type { IndexState, Reader, SqlValue } from "@hermes/state-schema";
import type { Half } from "./halves.js";

/** A word that one indexed message begins with, more or less. */
export interface SampledTerm {
  readonly id: number;
  readonly term: string;
}

/** Rows looked at from each place on: some hold no plain word. */
const TRIES = 3;
const HEAD = 400;

/** A whole word of ASCII letters: neighbours that any tokenizer could join to it, or an unseen one, rule it out. */
const PLAIN_WORD = /(?:^|[\s([])([A-Za-z]{4,40})(?=[\s,.;:!?)\]])/;

/**
 * Picks words of indexed messages, evenly from the oldest to the newest. Only plain Latin words stand for themselves in
 * every tokenizer; structured content is left to the comparison of ids.
 *
 * @param count - How many places to look at.
 */
export function sampleTerms(r: Reader, state: IndexState, half: Half, count: number): SampledTerm[] {
  const range = r.get<{ first: number | null; last: number | null }>(
    `SELECT min(id) AS first, max(id) AS last FROM ${FTS_TABLE[half]}_docsize`,
  );
  if (!range || range.first === null || range.last === null) return [];
  const terms = new Map<number, string>();
  const step = Math.max((range.last - range.first) / Math.max(count - 1, 1), 1);
  for (let place = range.first; place <= range.last; place += step) {
    for (const { id, head } of rowsFrom(r, state, half, Math.floor(place))) {
      const term = head.startsWith("\u0000") ? undefined : PLAIN_WORD.exec(head)?.[1];
      if (term === undefined) continue;
      terms.set(id, term);
      break;
    }
  }
  return [...terms].map(([id, term]) => ({ id, term }));
}

function rowsFrom(r: Reader, { pending }: IndexState, half: Half, from: number): { id: number; head: string }[] {
  const window = pending ? "AND (m.id <= ? OR m.id > ?)" : "";
  const params: SqlValue[] = [from, ...(pending ? [pending.progress, pending.highWater] : [])];
  const sql = `SELECT m.id AS id, substr(m.content, 1, ${HEAD}) AS head FROM messages AS m
    JOIN ${FTS_TABLE[half]}_docsize AS d ON d.id = m.id
    WHERE m.id >= ? AND typeof(m.content) = 'text' AND m.role IN ('user', 'assistant') ${window}
    ORDER BY m.id LIMIT ${TRIES}`;
  return r.all<{ id: number; head: string }>(sql, params);
}

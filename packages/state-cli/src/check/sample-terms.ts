import { FTS_TABLE } from "@hermes/state-schema";
import type { FtsHalf, IndexState, Reader } from "@hermes/state-schema";

/** A word that one indexed message begins with, more or less. */
export interface SampledTerm {
  readonly id: number;
  readonly term: string;
}

const SAMPLE_ROWS = 12;
const LONGEST_TERM = 40;

/**
 * Picks words from the oldest and the newest indexed messages. Only plain Latin words stand for themselves in every
 * tokenizer; structured content is left to the coverage check.
 */
export function sampleTerms(r: Reader, state: IndexState, half: FtsHalf): SampledTerm[] {
  const window = state.pending ? "AND (m.id <= ? OR m.id > ?)" : "";
  const params = state.pending ? [state.pending.progress, state.pending.highWater] : [];
  const terms = new Map<number, string>();
  for (const direction of ["ASC", "DESC"]) {
    const sql = `SELECT m.id AS id, substr(m.content, 1, 400) AS head FROM messages AS m
        JOIN ${FTS_TABLE[half]}_docsize AS d ON d.id = m.id
        WHERE typeof(m.content) = 'text' AND m.role IN ('user', 'assistant') ${window}
        ORDER BY m.id ${direction} LIMIT ${SAMPLE_ROWS}`;
    for (const { id, head } of r.all<{ id: number; head: string }>(sql, params)) {
      const term = firstPlainWord(head);
      if (term !== undefined) terms.set(id, term);
    }
  }
  return [...terms].map(([id, term]) => ({ id, term }));
}

/** A whole word of ASCII letters: neighbours that any tokenizer could join to it rule it out. */
function firstPlainWord(text: string): string | undefined {
  if (text.startsWith("\u0000")) return undefined;
  const word = /(?:^|[\s([])([A-Za-z]{4,40})(?=[\s,.;:!?)\]]|$)/.exec(text.slice(0, 360))?.[1];
  return word !== undefined && word.length <= LONGEST_TERM ? word : undefined;
}

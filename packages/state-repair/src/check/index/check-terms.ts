import { FTS_TABLE } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckRun } from "../check-run.js";
import { finding } from "../findings.js";
import type { Half } from "./halves.js";
import { indexStateOf } from "./halves.js";
import { sampleTerms } from "./sample-terms.js";
import type { SampledTerm } from "./sample-terms.js";

const SAMPLES = { glance: 0, quick: 24, full: 400 } as const;
const SHOWN = 3;

/**
 * Asks an index for words of rows. An index whose structure record was written over answers every word with nothing,
 * without an error, and passes the engine's own check.
 */
export function* checkTerms(run: CheckRun, half: Half): Steps<void> {
  const table = FTS_TABLE[half];
  const total = SAMPLES[run.level];
  yield { phase: `words ${table}`, done: 0, total };
  const lost = notFound(run, half, sampleTerms(run.r, indexStateOf(run), half, total));
  yield { phase: `words ${table}`, done: total, total };
  // A message may have been deleted or rewritten between the two statements; what is still lost is lost.
  const still = notFound(
    run,
    half,
    lost.filter((term) => stillThere(run, half, term)),
  );
  if (still.length === 0 || indexStateOf(run).stale) return;
  const shown = still.slice(0, SHOWN).map(({ id, term }) => `${term} (message ${id})`);
  run.add(finding("index-terms", table, `Words of messages are not found under them: ${shown.join(", ")}.`));
}

function notFound(run: CheckRun, half: Half, terms: readonly SampledTerm[]): SampledTerm[] {
  const table = FTS_TABLE[half];
  // Numbers are bound as REAL, and fts5 passes over a rowid that is no INTEGER: any row with the word would do.
  const sql = `SELECT 1 AS found FROM ${table} WHERE ${table} MATCH ? AND rowid = CAST(? AS INTEGER)`;
  return terms.filter(({ id, term }) => run.r.get(sql, [`"${term}"`, id]) === undefined);
}

function stillThere(run: CheckRun, half: Half, { id, term }: SampledTerm): boolean {
  const sql = `SELECT 1 AS found FROM messages AS m JOIN ${FTS_TABLE[half]}_docsize AS d ON d.id = m.id
    WHERE m.id = ? AND instr(m.content, ?) > 0`;
  return run.r.get(sql, [id, term]) !== undefined;
}

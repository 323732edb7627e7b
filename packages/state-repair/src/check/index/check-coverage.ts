import { FTS_SOURCE, FTS_TABLE } from "@hermes/state-schema";
import type { IndexState, Reader, SqlValue } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { finding } from "../findings.js";
import { indexStateOf } from "./halves.js";
import type { Half } from "./halves.js";

/** Ids per statement: long enough to be quick, short enough to be stopped in between. */
const SPAN = 50_000;

interface Coverage {
  /** Rows that the index should know and does not. */
  missing: number;
  /** Entries under ids that no message has. */
  surplus: number;
  /** Entries of messages that the index would not take today, because their session changed. */
  moved: number;
}

/**
 * Compares, id by id, which rows an index knows with which rows there are. A difference is looked at a second time:
 * another process may have been in the middle of something.
 */
export function* checkCoverage(run: CheckRun, half: Half): Steps<void> {
  const first = yield* measure(run, half);
  if (first === undefined || first.missing + first.surplus + first.moved === 0) return;
  const second = yield* measure(run, half);
  if (second !== undefined) run.add(...judge(indexStateOf(run), half, second));
}

function* measure(run: CheckRun, half: Half): Steps<Coverage | undefined> {
  const total: Coverage = { missing: 0, surplus: 0, moved: 0 };
  const last = highestId(run.r, half);
  // Ids may lie far apart: each span begins where there is something.
  for (let after = before(run.r, half, 0); after < last; after = before(run.r, half, after + SPAN)) {
    yield { phase: `index ${FTS_TABLE[half]}`, done: after, total: last };
    const state = indexStateOf(run);
    if (state.stale) return undefined;
    const part = measureSpan(run.r, state, half, after, after + SPAN);
    total.missing += part.missing;
    total.surplus += part.surplus;
    total.moved += part.moved;
  }
  return total;
}

function before(r: Reader, half: Half, after: number): number {
  const sql = `SELECT min(coalesce((SELECT min(id) FROM messages WHERE id > ?), 9e15),
    coalesce((SELECT min(id) FROM ${FTS_TABLE[half]}_docsize WHERE id > ?), 9e15)) AS next`;
  return (r.get<{ next: number }>(sql, [after, after])?.next ?? 9e15) - 1;
}

function highestId(r: Reader, half: Half): number {
  const sql = `SELECT max(coalesce((SELECT max(id) FROM messages), 0),
    coalesce((SELECT max(id) FROM ${FTS_TABLE[half]}_docsize), 0)) AS last`;
  return r.get<{ last: number }>(sql)?.last ?? 0;
}

/** Rows inside the window of a pending backfill are not indexed yet, which is no damage. */
function measureSpan(r: Reader, state: IndexState, half: Half, after: number, upTo: number): Coverage {
  const docs = `${FTS_TABLE[half]}_docsize`;
  const { pending } = state;
  const window = pending ? "AND (m.id <= ? OR m.id > ?)" : "";
  const params: SqlValue[] = [after, upTo, ...(pending ? [pending.progress, pending.highWater] : [])];
  const source = sourceOf(r, half);
  const count = (sql: string, values: readonly SqlValue[]): number => r.get<{ n: number }>(sql, values)?.n ?? 0;
  const missing = `SELECT COUNT(1) AS n FROM ${source} AS m LEFT JOIN ${docs} AS d ON d.id = m.id
    WHERE m.id > ? AND m.id <= ? AND d.id IS NULL ${window}`;
  const surplus = `SELECT COUNT(1) AS n FROM ${docs} AS d LEFT JOIN messages AS m ON m.id = d.id
    WHERE d.id > ? AND d.id <= ? AND m.id IS NULL`;
  const known = `SELECT COUNT(1) AS n FROM ${docs} AS d WHERE d.id > ? AND d.id <= ?`;
  const admitted = `SELECT COUNT(1) AS n FROM ${docs} AS d JOIN ${source} AS m ON m.id = d.id
    WHERE d.id > ? AND d.id <= ?`;
  const gone = count(surplus, [after, upTo]);
  const moved = source === "messages" ? 0 : count(known, [after, upTo]) - gone - count(admitted, [after, upTo]);
  return { missing: count(missing, params), surplus: gone, moved };
}

/** Which rows an index should know: those of the view it reads through, where the file has one, else all. */
function sourceOf(r: Reader, half: Half): string {
  const view = FTS_SOURCE[half];
  const found = r.get("SELECT 1 AS found FROM main.sqlite_master WHERE type = 'view' AND name = ?", [view]);
  return found ? view : "messages";
}

function judge(state: IndexState, half: Half, { missing, surplus, moved }: Coverage): CheckFinding[] {
  const table = FTS_TABLE[half];
  const findings: CheckFinding[] = [];
  if (missing + surplus > 0) {
    const detail = `${missing} messages are not in the index, ${surplus} entries belong to no message.`;
    findings.push(severe(state, half) ? finding("index-coverage", table, detail) : mixed(state, table, detail));
  }
  if (moved > 0) {
    const detail =
      `${moved} entries are of messages whose session has moved out of this index. ` +
      "Searches leave them out; making the index again removes them.";
    findings.push(finding("index-moved-rows", table, detail));
  }
  return findings;
}

/** An index whose triggers are gone, or were never of its own layout, falls behind without anything being damaged. */
function severe(state: IndexState, half: Half): boolean {
  return state[half].triggers && state.layout !== "mixed";
}

function mixed(state: IndexState, table: string, detail: string): CheckFinding {
  if (state.layout === "mixed") return finding("index-mixed", table, detail);
  return finding("index-coverage", table, detail, { severity: "note", action: "The next open for writing does this." });
}

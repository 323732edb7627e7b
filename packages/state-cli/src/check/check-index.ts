import { classifyPersistenceError } from "@hermes/state-core";
import type { StoreInfo } from "@hermes/state-core";
import { FTS_SOURCE, FTS_TABLE, readIndexState } from "@hermes/state-schema";
import type { FtsHalf, IndexState, Reader } from "@hermes/state-schema";
import type { CheckFinding } from "./check-report.js";
import { sampleTerms } from "./sample-terms.js";

type Half = Exclude<FtsHalf, "cjk">;

const HALVES: readonly Half[] = ["word", "trigram"];

/** Layouts whose row bookkeeping tells exactly which rows are indexed. */
const COUNTABLE: ReadonlySet<unknown> = new Set(["content-only", 0, 1, 2, 3]);

interface Coverage {
  readonly missing: number;
  readonly surplus: number;
}

/**
 * Proves that the search indexes cover the rows: which rows each index knows against which rows there are, and whether
 * a word of some rows is found under those rows. A store whose engine check is clean can fail here (P01).
 */
export function checkIndex(r: Reader, info: StoreInfo): CheckFinding[] {
  const state = readIndexState(r, info.capabilities);
  if (state.layout === "none") {
    return [note("no-index", "main", "There is no search index; searches read every message.")];
  }
  if (state.stale) {
    return [
      note(
        "index-stale",
        FTS_TABLE.word,
        "The index was detached and waits to be rebuilt; searches read every message.",
      ),
    ];
  }
  return [...pendingNote(state), ...HALVES.flatMap((half) => checkHalf(r, state, half))];
}

function pendingNote({ pending }: IndexState): CheckFinding[] {
  if (!pending) return [];
  const window = `${pending.progress + 1} to ${pending.highWater}`;
  const detail = `Messages ${window} wait to be indexed; searches read them instead.`;
  return [note("index-pending", FTS_TABLE.word, detail)];
}

function checkHalf(r: Reader, state: IndexState, half: Half): CheckFinding[] {
  const table = FTS_TABLE[half];
  const { present, readable, triggers } = state[half];
  if (!present) return [note("no-index", table, "This index is not there; searches do without it.")];
  if (!readable)
    return [note("capability", table, "The linked SQLite cannot read this index; searches do without it.")];
  const findings: CheckFinding[] = [];
  if (!triggers)
    findings.push(note("index-detached", table, "New messages do not reach this index until the next writing open."));
  try {
    if (COUNTABLE.has(state.layout)) findings.push(...checkCoverage(r, state, half, triggers));
    findings.push(...checkTerms(r, state, half));
  } catch (error) {
    findings.push(unreadable(table, error));
  }
  return findings;
}

function checkCoverage(r: Reader, state: IndexState, half: Half, triggers: boolean): CheckFinding[] {
  const table = FTS_TABLE[half];
  const { missing, surplus } = coverage(r, state, half);
  if (missing + surplus === 0) return [];
  const detail = `${missing} messages are not in the index, ${surplus} entries belong to no message.`;
  return [
    triggers
      ? { severity: "damage", code: "index-coverage", object: table, detail }
      : note("index-coverage", table, detail),
  ];
}

/** Rows inside the window of a pending backfill are not indexed yet, which is no damage. */
function coverage(r: Reader, state: IndexState, half: Half): Coverage {
  const docs = `${FTS_TABLE[half]}_docsize`;
  const { pending } = state;
  const window = pending ? "AND (m.id <= ? OR m.id > ?)" : "";
  const missing = r.get<{ n: number }>(
    `SELECT COUNT(1) AS n FROM ${sourceOf(r, half)} AS m LEFT JOIN ${docs} AS d ON d.id = m.id
       WHERE d.id IS NULL ${window}`,
    pending ? [pending.progress, pending.highWater] : [],
  );
  const surplus = r.get<{ n: number }>(
    `SELECT COUNT(1) AS n FROM ${docs} AS d LEFT JOIN messages AS m ON m.id = d.id WHERE m.id IS NULL`,
  );
  return { missing: missing?.n ?? 0, surplus: surplus?.n ?? 0 };
}

/** Which rows an index should know: those of the view it reads through, where the file's layout has one, else all. */
function sourceOf(r: Reader, half: Half): string {
  const view = FTS_SOURCE[half];
  const found = r.get("SELECT 1 AS found FROM main.sqlite_master WHERE type = 'view' AND name = ?", [view]);
  return found ? view : "messages";
}

function checkTerms(r: Reader, state: IndexState, half: Half): CheckFinding[] {
  const table = FTS_TABLE[half];
  const probe = `SELECT 1 AS found FROM ${table} WHERE ${table} MATCH ? AND rowid = ?`;
  const lost = sampleTerms(r, state, half).filter(({ id, term }) => !r.get(probe, [`"${term}"`, id]));
  if (lost.length === 0) return [];
  const shown = lost.slice(0, 3).map(({ id, term }) => `${term} (message ${id})`);
  const detail = `Words of messages are not found under them: ${shown.join(", ")}.`;
  return [{ severity: "damage", code: "index-terms", object: table, detail }];
}

function unreadable(table: string, error: unknown): CheckFinding {
  const cause = classifyPersistenceError(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (cause === "locked") throw error;
  if (/no such (?:tokenizer|module)/i.test(detail)) return note("capability", table, detail);
  return { severity: "damage", code: "index-unreadable", object: table, detail };
}

function note(code: string, object: string, detail: string): CheckFinding {
  return { severity: "note", code, object, detail };
}

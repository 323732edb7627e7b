import { classifyPersistenceError } from "@hermes/state-core";
import type { StateStore, StoreInfo } from "@hermes/state-core";
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
export function checkIndex(store: StateStore, { capabilities }: StoreInfo): CheckFinding[] {
  const state = store.read((r) => (hasMessages(r) ? readIndexState(r, capabilities) : undefined));
  if (!state) return [];
  if (state.layout === "none") {
    return [note("no-index", "main", "There is no search index; searches read every message.")];
  }
  if (state.stale) {
    const detail = "The index was detached and waits to be rebuilt; searches read every message.";
    return [note("index-stale", FTS_TABLE.word, detail)];
  }
  return [...pendingNote(state), ...HALVES.flatMap((half) => checkHalf(store, state, half))];
}

/** Another program may have made a file that holds none of our tables yet; then there is nothing to cover. */
function hasMessages(r: Reader): boolean {
  return r.get("SELECT 1 AS found FROM main.sqlite_master WHERE type = 'table' AND name = 'messages'") !== undefined;
}

function pendingNote({ pending }: IndexState): CheckFinding[] {
  if (!pending) return [];
  const window = `${pending.progress + 1} to ${pending.highWater}`;
  const detail = `Messages ${window} wait to be indexed; searches read them instead.`;
  return [note("index-pending", FTS_TABLE.word, detail)];
}

function checkHalf(store: StateStore, seen: IndexState, half: Half): CheckFinding[] {
  const table = FTS_TABLE[half];
  const { present, readable, triggers } = seen[half];
  if (!present) return [note("no-index", table, "This index is not there; searches do without it.")];
  if (!readable) {
    return [note("capability", table, "The linked SQLite cannot read this index; searches do without it.")];
  }
  const detail = "New messages do not reach this index until the next writing open.";
  const detached = triggers ? [] : [note("index-detached", table, detail)];
  return [...detached, ...probe(store, half, checkCoverage), ...probe(store, half, checkTerms)];
}

/** One look at an index, in a read of its own: another process may have detached it since the last one. */
function probe(
  store: StateStore,
  half: Half,
  look: (r: Reader, state: IndexState, half: Half) => CheckFinding[],
): CheckFinding[] {
  const { capabilities } = store.info();
  try {
    return store.read((r) => {
      const state = readIndexState(r, capabilities);
      return state.stale ? [] : look(r, state, half);
    });
  } catch (error) {
    return [unreadable(FTS_TABLE[half], error)];
  }
}

function checkCoverage(r: Reader, state: IndexState, half: Half): CheckFinding[] {
  const table = FTS_TABLE[half];
  const { triggers } = state[half];
  if (!COUNTABLE.has(state.layout)) return [];
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
  if (/no such (?:tokenizer|module)/i.test(detail)) return note("capability", table, detail);
  if (cause !== "corrupt" && cause !== "fts_index" && !/vtable constructor failed|fts5/i.test(detail)) throw error;
  return { severity: "damage", code: "index-unreadable", object: table, detail };
}

function note(code: string, object: string, detail: string): CheckFinding {
  return { severity: "note", code, object, detail };
}

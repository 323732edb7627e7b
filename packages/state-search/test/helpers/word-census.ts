import { readIndexState, type Reader } from "@hermes/state-schema";
import type { StateStore } from "@hermes/state-core";
import { expect } from "vitest";
import { messageTexts } from "../../src/judge/message-texts.js";
import { readAtoms } from "../../src/meaning/read-atoms.js";
import type { SearchableStore } from "../../src/index.js";
import { searchIds } from "./search-ids.js";

type Cells = readonly [id: number, role: string, content: string, toolName: string | null, toolCalls: string | null];

const ROWS = "SELECT id, role, content, tool_name, tool_calls FROM messages ORDER BY id";

/** Every word, run and emoji of the messages, as the meaning of a term cuts them, and the messages it stands in. */
export type Census = ReadonlyMap<string, readonly number[]>;

/** Counts the words of the rows themselves, without any index. */
export function countWords(store: StateStore): Census {
  const census = new Map<string, number[]>();
  for (const [id, role, content, toolName, toolCalls] of store.read((r) => r.tuples<Cells>(ROWS))) {
    const words = new Set<string>();
    for (const text of messageTexts({ role, content, toolName, toolCalls }, false)) {
      for (const atom of readAtoms(text)) words.add(atom.text);
    }
    for (const word of words) {
      const ids = census.get(word) ?? [];
      ids.push(id);
      census.set(word, ids);
    }
  }
  return census;
}

/**
 * Asks for words one by one and expects the messages that hold them.
 *
 * @param every - Asks only for each n-th word; 1 asks for all.
 * @param from - Which of the n; another one each time asks for all of them in turn.
 * @returns How many were asked.
 */
export function expectWords(
  store: SearchableStore,
  census: Census,
  where: string,
  every = 1,
  from = 0,
): number {
  let asked = 0;
  for (const [index, [word, ids]] of [...census].entries()) {
    if (index % every !== from % every) continue;
    asked += 1;
    // A run is found inside longer runs too: each message that holds the word must be there, and a word nowhere else.
    const found = searchIds(store, `"${word}"`, { fields: ["id"], includeInactive: true });
    const missing = ids.filter((id) => !found.includes(id));
    expect(missing, `${where}: messages lost for ${word}`).toEqual([]);
  }
  return asked;
}

const COUNTS = `
  SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM messages_fts_docsize) AS word,
    (SELECT count(*) FROM messages_fts_trigram_src) AS admitted,
    (SELECT count(*) FROM messages_fts_trigram_docsize) AS trigram`;
const LEFTOVERS = `
  SELECT name FROM sqlite_master WHERE name LIKE 'fts\\_v22\\_trash\\_%' ESCAPE '\\'
  UNION ALL SELECT key FROM state_meta WHERE key LIKE 'fts\\_%' ESCAPE '\\' AND key <> 'fts_storage_version'`;
const STAMP = "SELECT value FROM state_meta WHERE key = 'fts_storage_version'";
const TRIGGERS = `
  SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages\\_fts%' ESCAPE '\\'`;

/** Expects both indexes of the newest layout to be whole: counts, rank-1 check, triggers, stamp, nothing left over. */
export function expectWholeIndex(store: StateStore, where: string): void {
  const { messages, word, admitted, trigram } = store.read((r) => r.get<Record<string, number>>(COUNTS)) ?? {};
  expect([word, trigram], where).toEqual([messages, admitted]);
  expect(
    store.read((r) => r.all(LEFTOVERS)),
    where,
  ).toEqual([]);
  expect(
    store.read((r) => r.all(STAMP)),
    where,
  ).toEqual([{ value: "3" }]);
  expect(
    store.read((r) => r.get(TRIGGERS)),
    where,
  ).toEqual({ n: 6 });
  store.write("test: check both indexes", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"]) {
      w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    }
  });
  expect(
    store.read((r) => r.tuples("PRAGMA quick_check")),
    where,
  ).toEqual([["ok"]]);
}

/** Expects no claim that the index is whole while anything speaks against it. */
export function expectNotStampedEarly(r: Reader, where: string): void {
  if (r.all(STAMP).length === 0) return;
  const { pending, stale, layout } = readIndexState(r, { fts5: true, trigram: true });
  expect({ pending, stale, layout }, where).toEqual({ pending: undefined, stale: false, layout: 3 });
  expect(r.all(LEFTOVERS), where).toEqual([]);
  const { messages, word } = r.get<Record<string, number>>(COUNTS) ?? {};
  expect(word, where).toBe(messages);
}

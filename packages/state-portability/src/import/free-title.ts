import { likeEscape } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";

const TITLE_TAKEN_SQL = "SELECT 1 AS taken FROM sessions WHERE title = ?";
const NUMBERED_SQL = "SELECT title FROM sessions WHERE title LIKE ? ESCAPE '\\'";
const NONE: ReadonlySet<string> = new Set();
const NUMBER = / #(\d{1,15})$/;

/**
 * The title itself while it is free, else the base with the next number: `Trip`, `Trip #2`, `Trip #3` (POR-02).
 *
 * @param r - A connection that sees the sessions written so far.
 * @param alsoTaken - Titles that count as taken although no row has them yet.
 */
export function freeTitle(r: Reader, wanted: string, alsoTaken: ReadonlySet<string> = NONE): string {
  if (!r.get(TITLE_TAKEN_SQL, [wanted]) && !alsoTaken.has(wanted)) return wanted;
  const base = wanted.replace(NUMBER, "");
  const stored = r.all<{ title: string }>(NUMBERED_SQL, [`${likeEscape(base)} #%`]).map(({ title }) => title);
  const numbers = [...stored, ...alsoTaken]
    .filter((title) => title.replace(NUMBER, "") === base)
    .map((title) => Number(NUMBER.exec(title)?.[1] ?? 1));
  return `${base} #${Math.max(1, ...numbers) + 1}`;
}

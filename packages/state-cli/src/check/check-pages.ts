import { FTS_TABLE } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import type { CheckFinding } from "./check-report.js";

const PROBLEM_LIMIT = 100;
const INDEX_PROBLEM = /\bfts5\b/i;
const INDEX_TABLE = /\btable "?(?:main\.)?(messages_fts\w*)/i;
/** The only complaint that a tokenizer of another library causes; a segment that cannot be read is damage in any. */
const OTHER_LIBRARY = /malformed inverted index/i;
const STRUCTURED_SQL = "SELECT EXISTS (SELECT 1 FROM messages WHERE instr(content, char(0)) > 0) AS found";

/**
 * Asks the engine about every page and index (`quick_check`). What it says about a search index is judged apart: the
 * trigram tokenizer of older libraries stops at a NUL and that of newer ones does not, so an index over structured
 * content can disagree with a library that did not write it, in a file that is perfectly healthy (REP-01).
 *
 * @param stale - The indexes are detached and wait to be rebuilt: whatever state they are in is no damage.
 */
export function checkPages(r: Reader, stale: boolean): CheckFinding[] {
  const lines = r
    .all<Record<string, string>>(`PRAGMA quick_check(${PROBLEM_LIMIT})`)
    .map((row) => Object.values(row)[0] ?? "");
  const problems = lines.filter((line) => line !== "ok" && !(stale && INDEX_PROBLEM.test(line)));
  return problems.map((line) => judgeLine(r, line));
}

function judgeLine(r: Reader, line: string): CheckFinding {
  if (!INDEX_PROBLEM.test(line)) return { severity: "damage", code: "pages", object: "main", detail: line };
  const index = INDEX_TABLE.exec(line)?.[1] ?? FTS_TABLE.word;
  if (index === FTS_TABLE.trigram && OTHER_LIBRARY.test(line) && hasStructuredContent(r)) {
    return {
      severity: "note",
      code: "index-other-library",
      object: index,
      detail:
        "Written by a library that reads structured content differently. " +
        "Rows and searches are right; rebuilding the index ends the difference.",
    };
  }
  return { severity: "damage", code: "index", object: index, detail: line };
}

function hasStructuredContent(r: Reader): boolean {
  return r.get<{ found: number }>(STRUCTURED_SQL)?.found === 1;
}

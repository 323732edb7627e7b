import type { Reader } from "@hermes/state-schema";
import type { CheckFinding } from "./check-report.js";

const PROBLEM_LIMIT = 100;
const INDEX_PROBLEM =
  /(?:malformed inverted index for|unable to validate the inverted index for) FTS5 table (?:main\.)?(\w+)/i;
const STRUCTURED_SQL = "SELECT EXISTS (SELECT 1 FROM messages WHERE instr(content, char(0)) > 0) AS found";

/**
 * Asks the engine about every page and index (`quick_check`). What it says about a search index is judged apart: the
 * trigram tokenizer of older libraries stops at a NUL and that of newer ones does not, so an index over structured
 * content can disagree with a library that did not write it, in a file that is perfectly healthy (REP-01).
 */
export function checkPages(r: Reader): CheckFinding[] {
  const lines = r
    .all<Record<string, string>>(`PRAGMA quick_check(${PROBLEM_LIMIT})`)
    .map((row) => Object.values(row)[0] ?? "");
  return lines.filter((line) => line !== "ok").map((line) => judgeLine(r, line));
}

function judgeLine(r: Reader, line: string): CheckFinding {
  const index = INDEX_PROBLEM.exec(line)?.[1];
  if (index === undefined) return { severity: "damage", code: "pages", object: "main", detail: line };
  if (index.endsWith("_trigram") && hasStructuredContent(r)) {
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

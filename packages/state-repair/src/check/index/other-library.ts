import { FTS_TABLE } from "@hermes/state-schema";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { finding } from "../findings.js";
import { indexStateOf } from "./halves.js";

const STRUCTURED = "SELECT EXISTS (SELECT 1 FROM messages WHERE instr(content, char(0)) > 0) AS found";

/**
 * The only complaint that a tokenizer of another library causes; a segment that cannot be read is damage in any.
 */
const DISAGREES = /^malformed inverted index/i;

/**
 * Judges what the engine says of a search index. The trigram tokenizer of SQLite 3.40 stops at a NUL and that of 3.53
 * does not, so an index over structured content disagrees with a library that did not write it, in a file that is
 * perfectly healthy (REP-01). That shows where an index keeps its own copy of the text: elsewhere the engine's plain
 * check looks at the index alone.
 */
export function searchIndexFinding(run: CheckRun, object: string, detail: string): CheckFinding[] {
  const { stale, layout } = indexStateOf(run);
  // Detached and waiting to be made again: whatever state it is in harms nobody.
  if (stale) return [];
  const ownCopy = layout === 0 || layout === "mixed";
  if (ownCopy && object === FTS_TABLE.trigram && DISAGREES.test(detail) && hasStructuredContent(run)) {
    return [otherLibrary(object)];
  }
  return [finding("index", object, detail)];
}

/** A trigram index over structured content that another library wrote. */
export function otherLibrary(object: string): CheckFinding {
  const detail =
    "Another SQLite library wrote this index, and reads structured content differently. " +
    "Rows and searches are right; making the index again ends the difference.";
  return finding("index-other-library", object, detail);
}

/** Any message is stored in the form that begins with NUL. */
export function hasStructuredContent(run: CheckRun): boolean {
  return run.r.get<{ found: number }>(STRUCTURED)?.found === 1;
}

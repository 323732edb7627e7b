import type { Reader } from "@hermes/state-schema";
import { knownSegments, type Followed } from "./followed.js";
import { leafRowids } from "./leaf-rowids.js";
import type { IndexLook } from "./look-at-index.js";
import { readPageRange, type PageRange } from "./read-pages.js";

/** How many pages are read at a time. */
const CHUNK = 64;

/**
 * Which messages may have changed since an index was followed: some of them, or, when the index was emptied or too much
 * of it is new, any of them.
 */
export type Changes = ReadonlySet<number> | "any";

const NONE: ReadonlySet<number> = new Set();

/** Pages with entries that were not there, or were elsewhere: a merge moves entries to new segments. */
function newPages(r: Reader, { structure }: IndexLook, followed: Followed): readonly PageRange[] | "all" {
  const known = knownSegments(r, followed, structure.segments);
  // An index that was emptied begins anew: without anything that is still there, nothing says that it was not.
  if (known.size === 0 && structure.segments.length + followed.segments.length > 0) return "all";
  return structure.segments.flatMap(({ id, first, last }) => {
    const from = (known.get(id)?.last ?? first - 1) + 1;
    return from > last ? [] : [{ segment: id, from, to: last }];
  });
}

function chunksOf({ segment, from, to }: PageRange): PageRange[] {
  const chunks: PageRange[] = [];
  for (let at = from; at <= to; at += CHUNK) chunks.push({ segment, from: at, to: Math.min(to, at + CHUNK - 1) });
  return chunks;
}

/**
 * Reads from the word index which messages others may have changed. A message that has no word before and after its
 * change leaves no trace there.
 *
 * @param upTo - Higher ids are not asked about.
 * @param mostPages - How many pages of the index may be read.
 */
export function changesSince(r: Reader, look: IndexLook, followed: Followed, upTo: number, mostPages: number): Changes {
  if (look.schema !== followed.schema || look.structure.written < followed.written) return "any";
  const pages = newPages(r, look, followed);
  if (pages === "all") return "any";
  if (look.structure.written === followed.written) return NONE;
  if (pages.reduce((sum, { from, to }) => sum + to - from + 1, 0) > mostPages) return "any";
  const ids = new Set<number>();
  for (const chunk of pages.flatMap(chunksOf)) {
    const leaves = readPageRange(r, chunk);
    if (leaves === undefined || !leaves.every((leaf) => leafRowids(leaf, upTo, ids))) return "any";
  }
  return ids;
}

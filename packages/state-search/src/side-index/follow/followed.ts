import { createHash } from "node:crypto";
import type { Reader } from "@hermes/state-schema";
import { leafRow, type Segment } from "./index-structure.js";
import type { IndexLook } from "./look-at-index.js";
import { readListedPages } from "./read-pages.js";

/** A segment whose entries are known, and what its last pages looked like: ids and page numbers are used again. */
export interface FollowedSegment {
  readonly id: number;
  readonly from: number;
  readonly last: number;
  readonly mark: string;
}

/** How far the word index has been followed. */
export interface Followed {
  readonly schema: number;
  readonly written: number;
  readonly segments: readonly FollowedSegment[];
}

/** How many pages of a segment are compared. Most segments that come and go have fewer. */
const MARKED_PAGES = 4;

type Stretch = Omit<FollowedSegment, "mark">;

function rowsOf({ id, from, last }: Stretch): number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => leafRow(id, from + index));
}

/** Digests of the pages of each stretch; undefined where a page is missing. */
function marksOf(r: Reader, stretches: readonly Stretch[]): readonly (string | undefined)[] {
  const pages = readListedPages(r, stretches.flatMap(rowsOf));
  return stretches.map((stretch) => {
    const hash = createHash("sha1");
    for (const row of rowsOf(stretch)) {
      const page = pages.get(row);
      if (page === undefined) return undefined;
      hash.update(page);
    }
    return hash.digest("base64");
  });
}

/** Takes down where the index stands, so that a later look can tell what is new. */
export function followedTo(r: Reader, { schema, structure }: IndexLook): Followed {
  const stretches = structure.segments.map(({ id, first, last }) => {
    return { id, from: Math.max(first, last - MARKED_PAGES + 1), last };
  });
  const marks = marksOf(r, stretches);
  const segments = stretches.map((stretch, index) => ({ ...stretch, mark: marks[index] ?? "missing" }));
  return { schema, written: structure.written, segments };
}

/** Of the segments now there, those that are the ones followed, perhaps shortened or lengthened by a merge. */
export function knownSegments(
  r: Reader,
  followed: Followed,
  segments: readonly Segment[],
): ReadonlyMap<number, FollowedSegment> {
  const now = new Map(segments.map((segment) => [segment.id, segment]));
  const candidates = followed.segments.filter(({ id, from, last }) => {
    const segment = now.get(id);
    return segment !== undefined && segment.first <= from && segment.last >= last;
  });
  const marks = marksOf(r, candidates);
  return new Map(candidates.filter(({ mark }, index) => mark === marks[index]).map((known) => [known.id, known]));
}

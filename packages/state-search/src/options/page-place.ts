import { decodeCursor, encodeCursor } from "@hermes/state-core";
import type { SearchOptions, SearchSort } from "./search-options.js";

/**
 * Where a page begins: after so many hits, or after one message in order of time, which stays right while others write.
 */
export type PagePlace =
  | { readonly type: "offset"; readonly offset: number }
  | { readonly type: "after"; readonly seconds: number; readonly id: number };

const KIND = "search";

/** Hits in order of time have a place of their own, unless hits of one session are grouped. */
function hasTimePlace(sort: SearchSort, bySession: boolean): boolean {
  return sort !== "rank" && !bySession;
}

/**
 * Reads where the page begins.
 *
 * @param what - The function the options were given to, as the caller knows it.
 * @throws TypeError when both offset and cursor are given; StateError `STATE_E_BAD_CURSOR`.
 */
export function placeOf(what: string, options: SearchOptions, sort: SearchSort, bySession: boolean): PagePlace {
  const { offset = 0, cursor } = options;
  if (cursor === undefined) return { type: "offset", offset: Math.max(offset, 0) };
  if (typeof cursor !== "string") throw new TypeError(`${what}: cursor must be a string, not ${typeof cursor}.`);
  if (offset !== 0) throw new TypeError(`${what}: pass an offset or a cursor, not both.`);
  if (!hasTimePlace(sort, bySession)) {
    const [skipped] = decodeCursor(what, `${KIND}-${sort}`, cursor, ["number"]);
    return { type: "offset", offset: Math.max(Math.trunc(Number(skipped)), 0) };
  }
  const [seconds, id] = decodeCursor(what, `${KIND}-${sort}`, cursor, ["number", "number"]);
  return { type: "after", seconds: Number(seconds), id: Number(id) };
}

/** The cursor of the page after this one. */
export function nextCursor(
  sort: SearchSort,
  bySession: boolean,
  skipped: number,
  last: { readonly seconds: number; readonly id: number },
): string {
  return encodeCursor(`${KIND}-${sort}`, hasTimePlace(sort, bySession) ? [last.seconds, last.id] : [skipped]);
}

import type { QueryHint } from "../language/query.js";

/**
 * How the hits were found: by the word index, by the trigram index, by the side index alone, by reading the rows, or
 * not at all. The side index also helps the first two with what they cannot know.
 */
export type SearchRoute = "word" | "trigram" | "side" | "scan" | "empty";

/**
 * Why the rows were read although an index could have helped; the hits are the same:
 *
 * - `no-index`: the file or the linked SQLite has no index of a shape that can serve.
 * - `stale-index`: the index was detached and waits to be rebuilt.
 * - `unreadable-index`: the index refused to answer.
 * - `pending-index`: a backfill is under way; what it has not reached was read.
 * - `not-indexed`: no index can narrow this query.
 */
export type ReadReason = "no-index" | "stale-index" | "unreadable-index" | "pending-index" | "not-indexed";

/**
 * What an answer leaves out (SEA-07):
 *
 * - `roles-excluded`: only the roles that were asked for.
 * - `tool-output-truncated`: tool output beyond its first 8,192 characters; ask for the role `tool` to search it.
 */
export type IncompleteReason = "roles-excluded" | "tool-output-truncated";

/** The answer to a search. */
export interface SearchAnswer<Hit> {
  readonly hits: readonly Hit[];
  /** Nothing that could answer the query was left out. */
  readonly complete: boolean;
  readonly incompleteBecause: readonly IncompleteReason[];
  readonly route: SearchRoute;
  readonly readBecause: ReadReason | undefined;
  /** Pass it to read on; undefined on the last page. */
  readonly nextCursor: string | undefined;
  /** How many hits there are, once the last page is reached by counting. */
  readonly total: number | undefined;
  readonly hint: QueryHint | undefined;
}

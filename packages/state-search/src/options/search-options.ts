import type { HitField } from "../answer/search-hit.js";

/** In which order hits come: the most relevant first, or by time. */
export type SearchSort = "rank" | "newest" | "oldest";

/** What to look through, and how much of it to return. All of it is applied before the limit (SEA-04). */
export interface SearchOptions {
  /**
   * Only messages of these roles; an empty list finds nothing. Asking for `tool` also searches tool output beyond the
   * first 8,192 characters.
   */
  readonly roles?: readonly string[];
  /** Only sessions of these sources; an empty list finds nothing. */
  readonly sources?: readonly string[];
  /** No sessions of these sources. */
  readonly excludeSources?: readonly string[];
  /** Only these sessions; an empty list finds nothing. */
  readonly sessions?: readonly string[];
  /** Not these sessions, and no other segment of the conversations they belong to. */
  readonly excludeSessions?: readonly string[];
  /** Messages of this moment and later, in REAL seconds since the epoch. */
  readonly sinceSeconds?: number;
  /** Messages before this moment, in REAL seconds since the epoch. */
  readonly untilSeconds?: number;
  /** Also what was rewound. What compaction archived is always found, what is hidden never. Default false. */
  readonly includeInactive?: boolean;
  /** Default `rank`; where no index ranks, the newest come first. */
  readonly sort?: SearchSort;
  /** Hits per page, at most 10,000; default 20. A negative number stands for the most, 0 for none. */
  readonly limit?: number;
  /** Hits to skip; not together with a cursor. Default 0. */
  readonly offset?: number;
  /** `nextCursor` of the answer before, for the same query and options. */
  readonly cursor?: string;
  /** `session`: only the first hit of each session, so that `limit` counts sessions. */
  readonly groupBy?: "session";
  /** Which fields a hit has. Default all but `context`. */
  readonly fields?: readonly HitField[];
  /** Also the neighbours of each hit, when `fields` does not say. Default false. */
  readonly context?: boolean;
}

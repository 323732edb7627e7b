import type { SessionMatch } from "./session-match.js";

/** Which sessions to list or count. Conditions are joined by AND. */
export interface SessionFilter extends SessionMatch {
  /** Default `hide`. */
  readonly archived?: "hide" | "include" | "only";
  /** Default `hide`; `archived: "only"` shows hidden ones too. */
  readonly hidden?: "hide" | "include";
  /** Every row: continuations, delegates and tool sessions too. Default false: conversations, branches and resets. */
  readonly includeChildren?: boolean;
  /** Part of the id of any segment of the conversation; case does not matter. */
  readonly idQuery?: string;
  /** Part of the id or the title of any segment; `an94` also finds `AN-94`. */
  readonly searchQuery?: string;
}

/** How to order, cut and show a listing. */
export interface SessionListOptions extends SessionFilter {
  /** `started`: newest start first (default). `active`: most recently active first. */
  readonly order?: "started" | "active";
  /** Rows per page, 1 to 1,000; default 20. */
  readonly limit?: number;
  /** Rows to skip; not together with a cursor. */
  readonly offset?: number;
  /** `nextCursor` of the page before: stable while sessions are added. */
  readonly cursor?: string;
  /** Append the pinned sessions that the page missed; the first page only when paging by cursor. */
  readonly includePinned?: boolean;
  /** Show a compacted conversation as its tip (default), or as its first segment. */
  readonly projectTips?: boolean;
}

/** How to walk a whole listing; `limit` is the size of the pages it is read in. */
export type SessionIterateOptions = Omit<SessionListOptions, "offset" | "cursor" | "includePinned">;

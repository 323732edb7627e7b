import { searchMessages } from "../search-messages.js";
import type { SearchHit } from "../answer/search-hit.js";
import type { SearchArgs } from "./read-args.js";
import { HIDDEN_SOURCES, type SearchView } from "./search-view.js";
import type { Found } from "./title-match.js";

const PAGE = 300;
const MOST_HITS = 3_000;
const FIELDS = ["id", "sessionId", "role", "snippet", "source"] as const;

type Hit = Pick<SearchHit, (typeof FIELDS)[number]>;

/** What a scan found: one message per tree of sessions, those of scheduled jobs behind all others. */
export interface Collected {
  readonly found: readonly Found[];
  /** Sessions that had a hit the caller may see. */
  readonly sessions: number;
  /** Why the query itself can find nothing. */
  readonly hint: string | undefined;
}

function hasLeft(view: SearchView, hit: Hit): boolean {
  if (!view.guard.isCurrent(hit.sessionId)) return true;
  const row = view.store.messages.find(hit.id);
  return row !== undefined && view.guard.leftContext(hit.sessionId, row);
}

/** Reads hits until enough trees are found; the first hit of a tree stands for it. */
export function collectFound(view: SearchView, args: SearchArgs): Collected {
  const people = new Map<string, Found>();
  const jobs = new Map<string, Found>();
  const sessions = new Set<string>();
  let cursor: string | undefined;
  let hint: string | undefined;
  for (let scanned = 0; scanned < MOST_HITS && people.size < args.limit; scanned += PAGE) {
    const page = searchMessages(view.store, args.query, {
      roles: args.roles,
      excludeSources: HIDDEN_SOURCES,
      sort: args.sort,
      limit: PAGE,
      fields: FIELDS,
      ...(view.scope && { sessions: [...view.scope] }),
      ...(cursor !== undefined && { cursor }),
    });
    hint = page.hint;
    for (const hit of page.hits) {
      if (!hasLeft(view, hit)) continue;
      sessions.add(hit.sessionId);
      const trees = hit.source === "cron" ? jobs : people;
      const root = view.guard.rootOf(hit.sessionId);
      const found = { sessionId: hit.sessionId, messageId: hit.id, role: hit.role, snippet: hit.snippet };
      if (!trees.has(root)) trees.set(root, found);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const found = [...people.values(), ...[...jobs].filter(([root]) => !people.has(root)).map(([, job]) => job)];
  return { found, sessions: sessions.size, hint };
}

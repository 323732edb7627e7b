import { allSql, ALWAYS, type SqlCondition } from "../compile/sql-condition.js";
import type { SearchRequest } from "../options/read-options.js";
import type { SearchPlan } from "../plan/plan-search.js";
import { askByRelevance, askByTime } from "./ask-index.js";
import { judgeAll, judgeListed, type Match, type SearchScope } from "./candidates.js";
import { SECONDS } from "./filter-sql.js";

/** One page of matches. */
export interface MatchPage {
  readonly matches: readonly Match[];
  readonly more: boolean;
  /** Matches before this page. */
  readonly skipped: number;
  /** All matches, where counting them was part of the work. */
  readonly total: number | undefined;
}

const NONE: ReadonlySet<number> = new Set();

/** Takes matches in their order until a page is full, at most one per session when they are grouped. */
class Page {
  readonly taken: Match[] = [];
  readonly #needed: number;
  readonly #sessions: Set<string> | undefined;

  constructor(request: SearchRequest) {
    this.#needed = skippedBy(request) + request.limit + 1;
    this.#sessions = request.bySession ? new Set() : undefined;
  }

  get full(): boolean {
    return this.taken.length >= this.#needed;
  }

  take(match: Match): void {
    if (this.#sessions?.has(match.sessionId)) return;
    this.#sessions?.add(match.sessionId);
    this.taken.push(match);
  }
}

function skippedBy({ place }: SearchRequest): number {
  return place.type === "offset" ? place.offset : 0;
}

function compareByTime(direction: "ASC" | "DESC"): (a: Match, b: Match) => number {
  const sign = direction === "ASC" ? 1 : -1;
  return (a, b) => sign * (a.seconds - b.seconds || a.id - b.id);
}

/** The messages that come before (or after) a place in time, the place itself left out. */
function besidePlace(sign: "<" | ">", { seconds, id }: { seconds: number; id: number }): SqlCondition {
  return { sql: `(${SECONDS} ${sign} ? OR (${SECONDS} = ? AND m.id ${sign} ?))`, params: [seconds, seconds, id] };
}

function pageOf(request: SearchRequest, ordered: readonly Match[], counted: boolean): MatchPage {
  const skipped = skippedBy(request);
  return {
    matches: ordered.slice(skipped, skipped + request.limit),
    more: ordered.length > skipped + request.limit,
    skipped,
    total: counted && request.place.type === "offset" ? ordered.length : undefined,
  };
}

/** What the index names is judged best first, and only until the page is full. The rest is read only if it is not. */
function collectByRank(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  const page = new Page(request);
  const known = new Set<number>();
  const { index } = plan;
  if (index) {
    const window = 2 * (skippedBy(request) + request.limit) + 64;
    for (const limit of [window, -1]) {
      const ids = askByRelevance(scope, index, limit);
      const fresh = ids.filter((id) => !known.has(id));
      for (const id of fresh) known.add(id);
      for (const match of judgeListed(scope, fresh)) {
        page.take(match);
        if (page.full) return pageOf(request, page.taken, false);
      }
      if (ids.length < window) break;
    }
  }
  const rest = judgeAll(scope, plan.read, known).sort(compareByTime("DESC"));
  for (const match of rest) page.take(match);
  return pageOf(request, page.taken, true);
}

/** In order of time the index fills a page too, and then only what would come before its end has to be read. */
function collectByTime(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  const direction = request.sort === "oldest" ? "ASC" : "DESC";
  const [beyond, before] = direction === "ASC" ? ([">", "<"] as const) : (["<", ">"] as const);
  const from = request.place.type === "after" ? besidePlace(beyond, request.place) : ALWAYS;
  const named = plan.index ? askByTime(scope, plan.index, allSql([scope.filters, from]), direction) : [];
  const first = new Page(request);
  for (const match of judgeListed(scope, named)) {
    first.take(match);
    if (first.full) break;
  }
  const end = first.full ? first.taken.at(-1) : undefined;
  const within = end ? [besidePlace(before, end)] : [];
  const rest = judgeAll(scope, allSql([...within, from, plan.read]), plan.index ? new Set(named) : NONE);
  const page = new Page(request);
  for (const match of [...first.taken, ...rest].sort(compareByTime(direction))) page.take(match);
  return pageOf(request, page.taken, end === undefined);
}

/** Finds one page of the messages that answer the query, in the order asked for. */
export function collectPage(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  return request.sort === "rank" ? collectByRank(scope, plan, request) : collectByTime(scope, plan, request);
}

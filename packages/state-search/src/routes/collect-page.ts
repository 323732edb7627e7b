import { allSql } from "../compile/sql-condition.js";
import type { SearchRequest } from "../options/read-options.js";
import type { IndexQuestion, SearchPlan } from "../plan/plan-search.js";
import { askByRelevance } from "./ask-index.js";
import { ALL_ROWS, judgeListed, judgeUnread, type Match, type SearchScope, type UnreadRows } from "./candidates.js";
import { mergeByTime } from "./merge-by-time.js";
import { behindPlace, besidePlace, compareByTime, judgeNamedByTime, type TimeOrder } from "./named-by-time.js";
import { NamedIds } from "./named-ids.js";
import { unreadRows } from "./unread-rows.js";

/** One page of matches. */
export interface MatchPage {
  readonly matches: readonly Match[];
  readonly more: boolean;
  /** Matches before this page. */
  readonly skipped: number;
  /** All matches, where counting them was part of the work. */
  readonly total: number | undefined;
  /** Messages had to be looked through that no index spoke for. */
  readonly read: boolean;
}

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

function pageOf(
  request: SearchRequest,
  ordered: readonly Match[],
  { counted, read }: { readonly counted: boolean; readonly read: boolean },
): MatchPage {
  const skipped = skippedBy(request);
  return {
    matches: ordered.slice(skipped, skipped + request.limit),
    more: ordered.length > skipped + request.limit,
    skipped,
    total: counted && request.place.type === "offset" ? ordered.length : undefined,
    read,
  };
}

/** What must be read whatever the indexes name; an id that two of them name is judged twice at worst. */
function unreadOf(scope: SearchScope, { side }: SearchPlan): UnreadRows {
  return side && scope.side ? unreadRows(scope, side, scope.side) : ALL_ROWS;
}

/** What the index names, best first, a page's worth to begin with. */
function* judgeByRank(scope: SearchScope, index: IndexQuestion, window: number, known: Set<number>): Generator<Match> {
  for (const limit of [window, -1]) {
    const ids = askByRelevance(scope, index, limit);
    const fresh = ids.filter((id) => !known.has(id));
    for (const id of fresh) known.add(id);
    yield* judgeListed(scope, fresh);
    if (ids.length < window) return;
  }
}

/** What no index ranks, the newest first. */
function* judgeUnranked(
  scope: SearchScope,
  plan: SearchPlan,
  wanted: number,
  known: ReadonlySet<number>,
): Generator<Match> {
  const read = judgeUnread(scope, unreadOf(scope, plan), plan.read, known).sort(compareByTime("DESC"));
  const named = new NamedIds(scope, { index: undefined, side: plan.side });
  const order: TimeOrder = { direction: "DESC", place: { type: "offset", offset: 0 } };
  const beside = plan.side ? judgeNamedByTime(scope, named, order, wanted) : [];
  for (const match of mergeByTime(read, beside, "DESC")) if (!known.has(match.id)) yield match;
}

/** What the index names is judged best first, and only until the page is full. The rest is read only if it is not. */
function collectByRank(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  const page = new Page(request);
  const known = new Set<number>();
  const wanted = skippedBy(request) + request.limit;
  const ranked = plan.index ? judgeByRank(scope, plan.index, 2 * wanted + 64, known) : [];
  for (const match of ranked) {
    page.take(match);
    if (page.full) return pageOf(request, page.taken, { counted: false, read: false });
  }
  for (const match of judgeUnranked(scope, plan, wanted, known)) {
    page.take(match);
    if (page.full && plan.side) return pageOf(request, page.taken, { counted: false, read: true });
  }
  return pageOf(request, page.taken, { counted: true, read: true });
}

/** In order of time the indexes fill a page too, and then only what would come before its end has to be read. */
function collectByTime(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  const direction = request.sort === "oldest" ? "ASC" : "DESC";
  const order: TimeOrder = { direction, place: request.place };
  const first = new Page(request);
  if (plan.index ?? plan.side) {
    const wanted = skippedBy(request) + request.limit;
    for (const match of judgeNamedByTime(scope, new NamedIds(scope, plan), order, wanted)) {
      first.take(match);
      if (first.full) break;
    }
  }
  const end = first.full ? first.taken.at(-1) : undefined;
  const within = end ? [besidePlace(direction === "ASC" ? "<" : ">", end)] : [];
  const condition = allSql([...within, behindPlace(order), plan.read]);
  const taken = new Set(first.taken.map(({ id }) => id));
  const rest = judgeUnread(scope, unreadOf(scope, plan), condition, taken);
  const page = new Page(request);
  for (const match of [...first.taken, ...rest].sort(compareByTime(direction))) page.take(match);
  return pageOf(request, page.taken, { counted: end === undefined, read: true });
}

/** Finds one page of the messages that answer the query, in the order asked for. */
export function collectPage(scope: SearchScope, plan: SearchPlan, request: SearchRequest): MatchPage {
  return request.sort === "rank" ? collectByRank(scope, plan, request) : collectByTime(scope, plan, request);
}

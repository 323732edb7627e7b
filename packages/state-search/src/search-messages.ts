import type { StoreContext, StoreInfo } from "@hermes/state-core";
import { isHollow, readIndexState, type Reader } from "@hermes/state-schema";
import { incompleteBecause } from "./answer/incomplete-because.js";
import { readHits } from "./answer/read-hits.js";
import type { SearchAnswer } from "./answer/search-answer.js";
import type { HitField, SearchHit } from "./answer/search-hit.js";
import { parseQuery } from "./language/parse-query.js";
import type { Query, QueryHint, QueryNode } from "./language/query.js";
import { nextCursor } from "./options/page-place.js";
import { readOptions, type SearchRequest } from "./options/read-options.js";
import type { SearchOptions } from "./options/search-options.js";
import { planSearch, scanPlan, type PlanFacts, type SearchPlan } from "./plan/plan-search.js";
import type { SearchScope } from "./routes/candidates.js";
import { collectPage, type MatchPage } from "./routes/collect-page.js";
import { filterSql, visibleSql } from "./routes/filter-sql.js";
import { catchUpAfterSearch, isWorthCatchingUp } from "./side-index/catch-up-after-search.js";
import { SideUnavailable } from "./side-index/side-error.js";
import { beginSideReading, type SideReading } from "./side-index/side-reading.js";
import { vouchNow } from "./side-index/vouch.js";

/** What a search needs of a store. */
export type SearchableStore = Pick<StoreContext, "read" | "info">;

type AnyAnswer = SearchAnswer<Partial<SearchHit>>;

interface Found {
  readonly plan: SearchPlan;
  readonly page: MatchPage;
}

function isEngineError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_");
}

/** The plans to try in turn: without the side index when that refuses, without any index when another one does. */
function find(scope: SearchScope, facts: PlanFacts, request: SearchRequest): Found {
  const plan = planSearch(scope.root, facts);
  try {
    if (plan.index && isHollow(scope.r, plan.index.table)) return findUnindexed(scope, request);
    return { plan, page: collectPage(scope, plan, request) };
  } catch (error) {
    // An index that refuses to answer is no answer: the rows are read instead, and the answer says so (SEA-01, P01).
    if (error instanceof SideUnavailable) return find(scope, { ...facts, vouched: undefined }, request);
    if (!plan.index || !isEngineError(error)) throw error;
    return findUnindexed(scope, request);
  }
}

function findUnindexed(scope: SearchScope, request: SearchRequest): Found {
  const plan = scanPlan(scope.root, "unreadable-index");
  return { plan, page: collectPage(scope, plan, request) };
}

function nothing(hint: QueryHint | undefined): AnyAnswer {
  return {
    hits: [],
    complete: true,
    incompleteBecause: [],
    route: "empty",
    readBecause: undefined,
    nextCursor: undefined,
    total: 0,
    hint,
  };
}

/** One search, in one read of the store: the state of the index and the hits belong together. */
interface Search {
  readonly store: SearchableStore;
  readonly info: StoreInfo;
  readonly side: SideReading | undefined;
  readonly root: QueryNode;
  readonly request: SearchRequest;
}

interface Searched {
  readonly answer: AnyAnswer;
  /** The next search would be spared work if the side index knew more. */
  readonly behind: boolean;
}

function search({ store, info, side, root, request }: Search, r: Reader): Searched {
  const { filters, sort, bySession, limit } = request;
  const wholeToolOutput = filters.roles?.includes("tool") ?? false;
  const state = readIndexState(r, info.capabilities);
  const facts = { state, wholeToolOutput, vouched: side && vouchNow(r, info, state, side) };
  const { includeInactive, ...asked } = filters;
  const filtered = Object.keys(asked).length > 0;
  const scope: SearchScope = { r, root, filters: filterSql(r, filters), filtered, wholeToolOutput, side };
  const found = find(scope, facts, request);
  const { matches, more, skipped, total, read } = found.page;
  const last = matches.at(-1);
  const reasons = incompleteBecause(store, r, request);
  const answer: AnyAnswer = {
    hits: readHits(scope, matches, request.fields, visibleSql(includeInactive)),
    complete: reasons.length === 0,
    incompleteBecause: reasons,
    route: found.plan.route,
    readBecause: found.plan.readBecause,
    nextCursor: more && last ? nextCursor(sort, bySession, skipped + limit, last) : undefined,
    total,
    hint: undefined,
  };
  return { answer, behind: read && isWorthCatchingUp(r, info, facts) };
}

function searchWithSide(store: SearchableStore, root: QueryNode, request: SearchRequest): AnyAnswer {
  const info = store.info();
  // Begun before the store is read: what it knows is never newer than what is read there.
  const side = beginSideReading(info);
  let searched: Searched;
  try {
    searched = store.read((r) => search({ store, info, side, root, request }, r));
  } finally {
    side?.end();
  }
  if (searched.behind) catchUpAfterSearch(store);
  return searched.answer;
}

/**
 * Finds messages. The same query finds the same messages on every route and in every state of the index (SEA-01).
 *
 * @param text - What to look for, see {@link parseQuery}, or a parsed query.
 * @param options - What to look through and how much to return; see {@link SearchOptions}.
 * @returns One page of hits, whether anything was left out, and how they were found.
 * @throws TypeError for unknown options and wrong types, RangeError for values outside their range, StateError
 * `STATE_E_BAD_CURSOR` and whatever reading the store throws. No text of a query throws.
 *
 * @example
 * ```ts
 * const { hits, complete } = searchMessages(store, "deploy* NOT docker", { sort: "newest", limit: 10 });
 * ```
 */
export function searchMessages<F extends HitField>(
  store: SearchableStore,
  text: string | Query | null,
  options: SearchOptions & { readonly fields: readonly F[] },
): SearchAnswer<Pick<SearchHit, F>>;
export function searchMessages(
  store: SearchableStore,
  text: string | Query | null,
  options: SearchOptions & { readonly context: true; readonly fields?: never },
): SearchAnswer<SearchHit>;
export function searchMessages(
  store: SearchableStore,
  text: string | Query | null,
  options?: SearchOptions,
): SearchAnswer<Omit<SearchHit, "context"> & Partial<Pick<SearchHit, "context">>>;
export function searchMessages(store: SearchableStore, text: string | Query | null, options?: SearchOptions): unknown {
  const request = readOptions(options);
  const query = typeof text === "object" && text !== null ? text : parseQuery(text ?? "");
  const { root, hint } = query;
  if (root === undefined) return nothing(hint);
  return { ...searchWithSide(store, root, request), hint };
}

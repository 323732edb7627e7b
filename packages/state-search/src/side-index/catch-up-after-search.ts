import type { StoreInfo } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import type { PlanFacts } from "../plan/plan-search.js";
import { stepSideIndex, type FollowedStore } from "./catch-up.js";
import { isRefusal } from "./side-error.js";
import { canFollow } from "./vouch.js";

/** What a search adds to its own work at most: some dozen milliseconds. */
const BUDGET = { rows: 2_000, characters: 20_000 };
const MOST_PAGES = 1_500;

/** Smaller stores are looked through faster than a file beside them is opened. */
const SMALLEST_STORE = 5_000;
/** Fewer messages than this are read again and again rather than written down one by one. */
const FEWEST = 256;

const NEWEST = "SELECT MAX(id) AS id FROM messages";

/** The side index could have spared this search a good part of its work. */
export function isWorthCatchingUp(r: Reader, info: StoreInfo, { state, vouched }: PlanFacts): boolean {
  if (info.readonly || !info.capabilities.fts5 || !canFollow(state)) return false;
  const newest = r.get<{ id: number | null }>(NEWEST)?.id ?? 0;
  if (vouched === undefined) return newest > SMALLEST_STORE;
  return newest - vouched.upTo > FEWEST || vouched.changed.length > FEWEST;
}

/** Lets a search leave the side index better than it found it. Whatever stands against it, the answer stands. */
export function catchUpAfterSearch(store: FollowedStore): void {
  try {
    stepSideIndex(store, BUDGET, MOST_PAGES);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

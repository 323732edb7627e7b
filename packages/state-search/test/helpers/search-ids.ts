import { searchMessages, type SearchableStore, type SearchOptions } from "../../src/index.js";

/** Ids of all hits, in ascending order. */
export function searchIds(store: SearchableStore, text: string, options: SearchOptions = {}): number[] {
  const { hits } = searchMessages(store, text, { limit: -1, ...options });
  return hits.map((hit) => hit.id).sort((a, b) => a - b);
}

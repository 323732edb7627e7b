import type { SessionListOptions, SessionSummary, StateStore } from "@hermes/state-core";
import type { SessionSelection } from "../options/selection.js";

/** A page of a listing, as the command answers it. */
export interface SelectedPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
}

/** How much to list, in which order, and from where. */
export type PageOptions = Pick<SessionListOptions, "order" | "cursor"> & { readonly limit: number };

const SCAN_PAGE = 200;

/**
 * One page of the sessions that a selection means. What the store's filter cannot say is looked at row by row before
 * the limit counts, so a match beyond the first page is not missed.
 */
export function listSelected(store: StateStore, selection: SessionSelection, options: PageOptions): SelectedPage {
  const { filter, matches } = selection;
  if (!matches) return page(store, { ...filter, ...options });
  const found: SessionSummary[] = [];
  for (let place = options; ;) {
    const { sessions, nextCursor } = page(store, { ...filter, ...place, limit: SCAN_PAGE });
    for (const [index, session] of sessions.entries()) {
      if (!matches(session)) continue;
      found.push(session);
      // The cursor of a page that ends right here is the place to go on from.
      if (found.length === options.limit) {
        return { sessions: found, nextCursor: page(store, { ...filter, ...place, limit: index + 1 }).nextCursor };
      }
    }
    if (nextCursor === null) return { sessions: found, nextCursor: null };
    place = { ...place, cursor: nextCursor };
  }
}

/** The ids of all sessions that a selection means, segments of a conversation each for itself. */
export function* selectedIds(store: StateStore, { filter, matches }: SessionSelection): Generator<string> {
  for (const session of store.sessions.iterate({ includeChildren: true, ...filter, projectTips: false })) {
    if (matches?.(session) ?? true) yield session.id;
  }
}

function page(store: StateStore, options: SessionListOptions): SelectedPage {
  const { sessions, nextCursor } = store.sessions.list(options);
  return { sessions, nextCursor: nextCursor ?? null };
}

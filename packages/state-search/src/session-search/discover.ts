import { collectFound } from "./collect-found.js";
import { indexNote } from "./index-note.js";
import type { SearchArgs } from "./read-args.js";
import type { SearchView } from "./search-view.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import { showFound } from "./show-found.js";
import { shownText, WINDOW_CHARACTERS } from "./shown-text.js";
import { titleMatch, type Found } from "./title-match.js";

function firstOfEachTree(view: SearchView, found: readonly Found[]): readonly Found[] {
  const trees = new Map<string, Found>();
  for (const one of found) {
    const root = view.guard.rootOf(one.sessionId);
    if (!trees.has(root)) trees.set(root, one);
  }
  return [...trees.values()];
}

/** Finds sessions by their titles and by what was said in them. */
export function discover(view: SearchView, args: SearchArgs): SessionSearchReply {
  const titled = titleMatch(view, args.query);
  const { found, sessions, hint } = collectFound(view, args);
  const shown = firstOfEachTree(view, [...(titled ? [titled] : []), ...found]).slice(0, args.limit);
  const note = indexNote(view.store);
  return {
    success: true,
    mode: "discover",
    query: shownText(args.query, WINDOW_CHARACTERS).text,
    detail: args.full ? "full" : "adaptive",
    results: shown.map((one, place) => showFound(view, one, args.full || place === 0)),
    count: shown.length,
    sessions_searched: Math.max(sessions, shown.length),
    ...(shown.length === 0 && { message: "No matching sessions found." }),
    ...(hint !== undefined && { hint }),
    ...(note && { index_rebuild: note }),
  };
}

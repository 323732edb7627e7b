import { Refusal } from "./refusal.js";
import { SearchView } from "./search-view.js";
import type { SessionSearchHost } from "./session-search-host.js";
import type { SessionStore } from "./session-store.js";

/**
 * Runs a search in another profile, where the agent has no current session, and closes what was opened for it.
 *
 * @param own - The view of the store at hand: a profile that turns out to be the same file is seen through it, so that
 * another name for it opens nothing that was closed.
 * @throws Refusal when there is no such profile, and whatever opening or reading it throws.
 */
export function withProfile<T>(
  host: SessionSearchHost,
  own: SearchView,
  name: string,
  run: (view: SearchView) => T,
): T {
  if (!host.openProfile) throw new Refusal("Other profiles cannot be searched here. Leave profile out.");
  const store: (SessionStore & { close(): void }) | undefined = host.openProfile(name);
  if (!store) throw new Refusal(`There is no profile ${JSON.stringify(name)}. Leave profile out to search this one.`);
  try {
    const same = store.path === own.store.path;
    return run(same ? own : new SearchView(store, { profile: name, currentSessionId: undefined, scope: undefined }));
  } finally {
    store.close();
  }
}

import type { Session } from "@hermes/state-core";
import { LineageGuard } from "./lineage-guard.js";
import { sessionLink } from "./session-link.js";
import type { SessionStore } from "./session-store.js";

/** Sources of sessions that no agent finds by words or titles. */
export const HIDDEN_SOURCES: readonly string[] = ["kanban", "subagent", "tool"];

/** One store as one caller may see it. */
export class SearchView {
  readonly store: SessionStore;
  readonly profile: string | undefined;
  readonly guard: LineageGuard;
  /** The sessions the caller is confined to; undefined for all. */
  readonly scope: ReadonlySet<string> | undefined;

  constructor(
    store: SessionStore,
    options: {
      readonly profile: string | undefined;
      readonly currentSessionId: string | undefined;
      readonly scope: ReadonlySet<string> | undefined;
    },
  ) {
    this.store = store;
    this.profile = options.profile;
    this.guard = new LineageGuard(store, options.currentSessionId);
    this.scope = options.scope;
  }

  /** A session the caller may see; to it, any other does not exist. */
  find(sessionId: string): Session | undefined {
    return this.allows(sessionId) ? this.store.sessions.find(sessionId) : undefined;
  }

  allows(sessionId: string): boolean {
    return this.scope === undefined || this.scope.has(sessionId);
  }

  link(sessionId: string): string {
    return sessionLink(this.profile, sessionId);
  }
}

import type { JsonObject } from "@hermes/state-core";
import type { ModelOverride, RoutingEntry } from "../entry/routing-entry.js";
import { cleanModelOverride } from "../entry/clean-model-override.js";
import { isReservedMetadataKey } from "../entry/entry-metadata.js";
import { resumableEntry, suspendedEntry } from "../policy/mark-entry.js";
import { checkUsage } from "./check-usage.js";
import type { RouteUsage } from "./check-usage.js";
import { RouteReads } from "./route-reads.js";
import { withStep } from "./route-step.js";

/** What a router notes on a route, without moving it. Every method returns the route, undefined when there is none. */
export abstract class RouteMarks extends RouteReads {
  /** Real activity of the peer, now (GWS-03). */
  touch(sessionKey: string): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) => ({ ...entry, updatedAtSeconds: this.context.now() }));
  }

  /** The next message of the peer begins a new session, whatever the policy says. */
  suspend(sessionKey: string, why = "suspended"): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) => {
      const suspended = suspendedEntry(entry);
      return suspended && this.#noted(suspended, "suspended", why);
    });
  }

  /** A turn was cut off and may be taken up again. A suspended route stays as it is (GWS-06). */
  markResumePending(sessionKey: string, reason: string): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) => {
      const resumable = resumableEntry(entry, reason, this.context.now());
      return resumable && this.#noted(resumable, "resume_pending", reason);
    });
  }

  /** The turn was taken up and went well. */
  clearResumePending(sessionKey: string): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) =>
      entry.resumePending
        ? { ...entry, resumePending: false, resumeReason: null, lastResumeMarkedAtSeconds: null }
        : undefined,
    );
  }

  /** Marks every route with real activity in the last seconds as cut off, before a stop. @returns How many. */
  async suspendRecentlyActive(seconds = 120): Promise<number> {
    const since = this.context.now() - seconds;
    let marked = 0;
    for (const { sessionKey, updatedAtSeconds, suspended, resumePending } of this.list()) {
      if (suspended || resumePending || updatedAtSeconds < since) continue;
      const entry = await this.markResumePending(sessionKey, "recently_active");
      if (entry?.resumePending) marked += 1;
    }
    return marked;
  }

  /** The model the peer chose; null takes the choice back. Credentials are never kept. */
  setModelOverride(sessionKey: string, override: ModelOverride | null): Promise<RoutingEntry | undefined> {
    const modelOverride = override && cleanModelOverride(override);
    return this.change(sessionKey, (entry) => ({ ...entry, modelOverride }));
  }

  /** What the peer is called in lists; null for nothing. It is no activity. */
  setDisplayName(sessionKey: string, displayName: string | null): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) => ({ ...entry, displayName }));
  }

  /**
   * Merges into what the host keeps beside the route; a key with the value null is taken out. It is no activity.
   *
   * @throws TypeError for a key that the router keeps for itself.
   */
  setMetadata(sessionKey: string, patch: JsonObject): Promise<RoutingEntry | undefined> {
    const reserved = Object.keys(patch).find(isReservedMetadataKey);
    if (reserved !== undefined) throw new TypeError(`router.setMetadata: the key ${reserved} is the router's own.`);
    return this.change(sessionKey, (entry) => {
      const merged = Object.entries({ ...entry.metadata, ...patch }).filter(([, value]) => value !== null);
      return { ...entry, metadata: Object.fromEntries(merged) };
    });
  }

  /**
   * Adds what a turn used to the totals of the route.
   *
   * @throws TypeError for an unknown key, RangeError for a negative or broken number.
   */
  recordUsage(sessionKey: string, usage: RouteUsage): Promise<RoutingEntry | undefined> {
    const add = checkUsage("router.recordUsage", usage);
    return this.change(sessionKey, add);
  }

  /** The peer was told that its conversation began anew. */
  acknowledgeReset(sessionKey: string): Promise<RoutingEntry | undefined> {
    return this.change(sessionKey, (entry) =>
      entry.isFreshReset || entry.wasAutoReset
        ? { ...entry, isFreshReset: false, wasAutoReset: false, autoResetReason: null }
        : undefined,
    );
  }

  #noted(entry: RoutingEntry, what: string, why: string): RoutingEntry {
    return withStep(entry, { atSeconds: this.context.now(), what, sessionId: entry.sessionId, why });
  }
}

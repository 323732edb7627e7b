import { checkKnownOptions } from "@hermes/state-core";
import type { PendingProperties, RoutingEntry } from "../entry/routing-entry.js";
import { canonicalSessionKey } from "../key/canonical-session-key.js";
import { finalizeExpiry } from "../policy/expiry.js";
import { checkProperties } from "./check-properties.js";
import { isStale } from "./is-stale.js";
import { planLateRow, planLostRow, planRow } from "./plan-row.js";
import { planAdvance, planReset, planSwitch } from "./plan-step.js";
import { RouteMarks } from "./route-marks.js";
import type { PlannedStep } from "./route-step.js";
import { sessionRouted, sessionUnknown } from "./router-errors.js";
import { sourceOf } from "./source-of.js";
import { untilUncontested } from "./until-uncontested.js";

/** How to switch. */
export interface SwitchOptions {
  /** Take the session over although another route leads to it; that one begins anew with its next message. */
  readonly takeOver?: boolean;
}

function rowStep(entry: RoutingEntry, sessionId: string): PlannedStep {
  return entry.sessionId === sessionId ? planRow(entry) : planLateRow(entry, sessionId);
}

/** What a router does to where a route leads. Each is one step: it is taken whole or not at all. */
export abstract class RouteMoves extends RouteMarks {
  /**
   * Begins a new session for a peer that asks for it. The old one ends for good (GWS-03).
   *
   * @returns The route as it stands; undefined for an unknown key.
   */
  reset(sessionKey: string, reason = "session_reset"): Promise<RoutingEntry | undefined> {
    return this.#move(sessionKey, (entry) => {
      const begin = {
        sessionKey: entry.sessionKey,
        source: sourceOf(entry),
        sessionId: this.context.newSessionId(),
        now: this.context.now(),
      };
      return planReset(begin, entry, { reason, automatic: false, ends: true });
    });
  }

  /**
   * Leads a peer into another session, or the last segment of its conversation. The session it was in ends.
   *
   * @returns The route as it stands; undefined for an unknown key.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`; `STATE_E_SESSION_ROUTED` when another route leads there.
   */
  async switchTo(
    sessionKey: string,
    sessionId: string,
    options: SwitchOptions = {},
  ): Promise<RoutingEntry | undefined> {
    const { tip, state } = await this.context.port.standing(sessionId);
    if (state === "missing") throw sessionUnknown(sessionId);
    const other = this.bySession(tip);
    if (other && other.sessionKey !== canonicalSessionKey(sessionKey) && options.takeOver !== true) {
      throw sessionRouted(tip, other.sessionKey);
    }
    return this.#move(sessionKey, (entry) =>
      entry.sessionId === tip ? undefined : planSwitch(entry, tip, sourceOf(entry), this.context.now()),
    );
  }

  /**
   * Follows a conversation that went on under another id, as after a compaction. Nothing is ended, and it is no
   * activity.
   *
   * @returns The route, or null when it does not lead to the expected session any more.
   */
  async advance(sessionKey: string, expected: string, target: string): Promise<RoutingEntry | null> {
    const entry = await this.#move(sessionKey, (entry) =>
      entry.sessionId === expected ? planAdvance(entry, target, this.context.now()) : undefined,
    );
    return entry?.sessionId === target ? entry : null;
  }

  /**
   * Makes the row of a session, with what was asked for it before it was there, unless it has one (GWS-11). Call it
   * before the first message is stored.
   *
   * @param sessionId - The session a message is for; default that of the route. One that the route does not lead to is
   * made too, and ended at once; where there is no route, it is made for the peer to find.
   * @returns The session that has a row now; undefined when none was named and there is no route.
   */
  async materialize(sessionKey: string, sessionId?: string): Promise<string | undefined> {
    const key = canonicalSessionKey(sessionKey);
    return this.context.keeper.queue.run(key, () => this.#makeRow(key, sessionId));
  }

  /**
   * Titles or flags the conversation of a route. Where it has no row yet, they wait and are applied by the step that
   * makes it (GWS-11).
   *
   * @returns The route; undefined for an unknown key.
   * @throws TypeError for an unknown property or a wrong type, and what a title is refused for.
   */
  async setProperties(sessionKey: string, properties: PendingProperties): Promise<RoutingEntry | undefined> {
    checkProperties("router.setProperties", properties);
    const entry = this.get(sessionKey);
    if (entry && (await this.context.port.setProperties(entry.sessionId, properties))) return entry;
    return this.change(sessionKey, (now) => ({ ...now, pending: { ...now.pending, ...properties } }));
  }

  /**
   * Drops routes without real activity for some days; their transcripts stay, and the next message of such a peer finds
   * its conversation again. Suspended, pinned and working ones are kept.
   *
   * @param days - Zero or less drops nothing.
   * @returns The keys that were dropped.
   */
  async prune(days: number): Promise<readonly string[]> {
    if (!(days > 0)) return [];
    const cutoff = this.context.now() - days * 86_400;
    const dropped: string[] = [];
    for (const { sessionKey } of this.list().filter((entry) => entry.updatedAtSeconds < cutoff)) {
      const left = await this.#moveIf(sessionKey, async (entry) =>
        (await isStale(this.context, entry, cutoff)) ? { entry: null } : undefined,
      );
      if (!left) dropped.push(sessionKey);
    }
    return dropped;
  }

  /**
   * Ends for good what time has ended, so that no later accident brings it back (GWS-03, P18).
   *
   * @returns The keys whose session was ended.
   */
  async finalizeExpired(): Promise<readonly string[]> {
    const ended: string[] = [];
    for (const { sessionKey } of this.list()) {
      await this.#moveIf(sessionKey, async (entry) => {
        const question = { ...(await this.context.resetQuestion(entry)), entry };
        const expiry = finalizeExpiry(question);
        if (expiry === null) return undefined;
        ended.push(sessionKey);
        return { entry: { ...entry, ...expiry.change }, leave: expiry.leave };
      });
    }
    return [...new Set(ended)];
  }

  /**
   * Ends a session for good while its route stays, as {@link RouteMoves.finalizeExpired} does for those whose time has
   * come.
   *
   * @param sessionId - Nothing is done when the route leads elsewhere by now.
   * @param options - `clearModelOverride`: take the choice of a model back in the same step. Default true.
   * @returns Whether this session has ended.
   */
  async finalize(
    sessionKey: string,
    sessionId: string,
    options: { readonly clearModelOverride?: boolean } = {},
  ): Promise<boolean> {
    checkKnownOptions("router.finalize", options, ["clearModelOverride"]);
    const { clearModelOverride = true } = options;
    const entry = await this.#move(sessionKey, (entry) => {
      if (entry.sessionId !== sessionId || entry.expiryFinalized) return undefined;
      const modelOverride = clearModelOverride ? null : entry.modelOverride;
      const leave = { sessionId, reason: "session_reset" };
      return { entry: { ...entry, expiryFinalized: true, modelOverride }, leave };
    });
    return entry?.sessionId === sessionId && entry.expiryFinalized;
  }

  #move(sessionKey: string, plan: (entry: RoutingEntry) => PlannedStep | undefined): Promise<RoutingEntry | undefined> {
    return this.#moveIf(sessionKey, (entry) => Promise.resolve(plan(entry)));
  }

  /** Takes the step that is planned for the route as it stands; planned again when another process was faster. */
  #moveIf(
    sessionKey: string,
    plan: (entry: RoutingEntry) => Promise<PlannedStep | undefined>,
  ): Promise<RoutingEntry | undefined> {
    const { keeper } = this.context;
    const key = canonicalSessionKey(sessionKey);
    const attempt = async (): Promise<{ outcome: RoutingEntry | undefined } | undefined> => {
      const entry = await keeper.settled(key);
      const step = entry && (await plan(entry));
      if (!entry || !step) return { outcome: entry };
      const published = await keeper.publish(key, step, entry.sessionId);
      return published.applied ? { outcome: published.entry } : undefined;
    };
    return keeper.queue.run(key, () => untilUncontested(key, attempt));
  }

  #makeRow(key: string, sessionId: string | undefined): Promise<string | undefined> {
    const { keeper, port } = this.context;
    return untilUncontested(key, async () => {
      const entry = await keeper.settled(key);
      const wanted = sessionId ?? entry?.sessionId;
      if (wanted === undefined || (await port.standing(wanted)).state !== "missing") return { outcome: wanted };
      const step = entry ? rowStep(entry, wanted) : planLostRow(key, wanted);
      const { applied } = await keeper.publish(key, step, entry?.sessionId ?? null);
      return applied ? { outcome: wanted } : undefined;
    });
  }
}

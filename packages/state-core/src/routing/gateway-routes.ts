import { checkLimit } from "../codec/check-limit.js";
import { checkText } from "../codec/check-text.js";
import type { JsonObject } from "../codec/json-value.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { chunksOf } from "../retention/chunks-of.js";
import type { SessionRow } from "../sessions/session-row.js";
import type { StoreContext } from "../store/context.js";
import { sanitizeTitle } from "../titles/sanitize-title.js";
import { applyTransition } from "./apply-transition.js";
import { setProperties } from "./conversation-properties.js";
import type { ConversationProperties } from "./conversation-properties.js";
import { checkFlags } from "./check-flags.js";
import { checkEntry, checkScope } from "./check-entry.js";
import { sessionsOfKey } from "./find-gateway-session.js";
import { GatewayRecords } from "./gateway-records.js";
import { planTransition } from "./plan-transition.js";
import { routeOutlines } from "./route-outlines.js";
import type { RouteOutline } from "./route-outlines.js";
import type { RouteTransition, RouteTransitionReceipt } from "./route-transition.js";
import { addRoute, findRoute, routedSession, saveRoute } from "./routing-rows.js";
import { sessionStandings } from "./session-standing.js";
import type { SessionStanding } from "./session-standing.js";

const MOST_SESSIONS = 1_000;

/** What a router does to the routes of a scope that others may be changing too, and what it asks before. */
export abstract class GatewayRoutes extends GatewayRecords {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    super(context);
    this.#context = context;
  }

  /**
   * Takes one step of a route with all that it means for sessions, in one transaction: of two processes that expect the
   * same entry one takes its step, and a crash leaves all of it or nothing (GWS-02, GWS-10).
   *
   * @example
   * ```ts
   * store.routing.transition({
   *   scope: "",
   *   sessionKey: "agent:main:telegram:dm:c1",
   *   expectedSessionId: "s1",
   *   entry: { session_id: "s2" },
   *   leave: { sessionId: "s1", reason: "session_reset" },
   * });
   * ```
   * @returns Whether it was taken, and the entry as it stands now.
   * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_TITLE_TOO_LONG`, `STATE_E_BAD_TIMESTAMP`.
   */
  transition(step: RouteTransition): RouteTransitionReceipt {
    const plan = planTransition(this.#context, step);
    return this.#context.write("move a route", (w) => applyTransition(w, plan), "transcript");
  }

  /**
   * Stores an entry, but only over one that names the same session: a late save does not bring an old session back
   * (GWS-02).
   *
   * @param sessionId - Which session the stored entry must name.
   * @returns Whether it was stored.
   */
  saveOver(scope: string, sessionKey: string, entry: JsonObject, sessionId: string): boolean {
    checkScope("routing.saveOver", scope);
    checkEntry("routing.saveOver", sessionKey, entry);
    checkText("routing.saveOver: the session id", sessionId);
    const now = this.#context.clock.now();
    return this.#context.write("save a route", (w) => {
      if (routedSession(findRoute(w, scope, sessionKey)) !== sessionId) return false;
      saveRoute(w, scope, sessionKey, entry, now);
      return true;
    });
  }

  /** Adds the entries whose keys are not there, all at once. @returns The keys that were added (GWS-02). */
  addMissing(scope: string, entries: ReadonlyMap<string, JsonObject>): readonly string[] {
    checkScope("routing.addMissing", scope);
    for (const [sessionKey, entry] of entries) checkEntry("routing.addMissing", sessionKey, entry);
    const now = this.#context.clock.now();
    return this.#context.write("add routes", (w) =>
      [...entries].filter(([key, entry]) => addRoute(w, scope, key, entry, now)).map(([key]) => key),
    );
  }

  /**
   * Every route of a scope, in no order, with the session it leads to and whether that has ended, in one question
   * (P18). The entries are not parsed: to start with many of them is cheap.
   */
  outlines(scope: string): readonly RouteOutline[] {
    checkScope("routing.outlines", scope);
    return this.#context.read((r) => routeOutlines(r, scope));
  }

  /**
   * Sets a title and flags of a conversation in one transaction (GWS-11).
   *
   * @returns False when the session has no row (yet).
   * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_TITLE_TOO_LONG`, `STATE_E_TITLE_TAKEN`.
   */
  setProperties(sessionId: string, properties: ConversationProperties): boolean {
    const what = "routing.setProperties";
    checkText(`${what}: the session id`, sessionId);
    checkKnownOptions(what, properties, ["title", "flags"]);
    const flags = checkFlags(what, properties.flags);
    const title = properties.title === undefined ? undefined : sanitizeTitle(properties.title ?? "");
    return this.#context.write("set properties", (w) => setProperties(w, sessionId, title, flags), "transcript");
  }

  /** How a session stands, for the question whether a peer may go on in it; an unknown id is no error (GWS-03). */
  standing(sessionId: string): SessionStanding {
    checkText("routing.standing: the session id", sessionId);
    const [standing] = this.#context.read((r) => sessionStandings(r, [sessionId]));
    return standing as SessionStanding;
  }

  /** As {@link GatewayRoutes.standing}, of many sessions at once, on one snapshot. */
  standings(sessionIds: readonly string[]): ReadonlyMap<string, SessionStanding> {
    for (const id of sessionIds) checkText("routing.standings: a session id", id);
    const chunks = chunksOf([...new Set(sessionIds)]);
    const standings = this.#context.read((r) => chunks.flatMap((chunk) => sessionStandings(r, chunk)));
    return new Map(standings.map((standing) => [standing.sessionId, standing]));
  }

  /**
   * The sessions of a routing key, the newest first, for the history of a route (GWS-09).
   *
   * @param limit - How many at most; up to 1,000.
   */
  sessionsOfKey(sessionKey: string, limit: number): readonly SessionRow[] {
    checkText("routing.sessionsOfKey: the key", sessionKey);
    checkLimit("routing.sessionsOfKey", limit, MOST_SESSIONS);
    return this.#context.read((r) => sessionsOfKey(r, sessionKey, limit));
  }
}

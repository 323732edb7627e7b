import { checkText } from "../codec/check-text.js";
import type { JsonObject } from "../codec/json-value.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { SessionRow } from "../sessions/session-row.js";
import type { StoreContext } from "../store/context.js";
import { checkEntry, checkScope } from "./check-entry.js";
import { latestForPeer, newestPerKey, sessionAt } from "./find-gateway-session.js";
import { GatewayRoutes } from "./gateway-routes.js";
import { checkPeer } from "./peer-address.js";
import type { KeyedPeer, PeerAddress, PeerRecord } from "./peer-address.js";
import { recordPeer } from "./record-peer.js";
import { deleteRoute, findRoute, loadRoutes, replaceRoutes, saveRoute } from "./routing-rows.js";
import type { RoutingRow } from "./routing-rows.js";
import { isOvertaken, mergeRouteChange } from "./merge-route-change.js";
import type { RouteChange, RouteChangeOutcome } from "./merge-route-change.js";

/**
 * Which session a peer talks in: the gateway's entries, kept per scope as they are given, and the sessions they can be
 * found again by (COR-36). Keys are opaque and compared byte by byte.
 */
export class RoutingTable extends GatewayRoutes {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    super(context);
    this.#context = context;
  }

  /** Stores one entry over an older one of the same key. */
  save(scope: string, sessionKey: string, entry: JsonObject): void {
    checkScope("routing.save", scope);
    checkEntry("routing.save", sessionKey, entry);
    const now = this.#context.clock.now();
    this.#context.write("save a route", (w) => saveRoute(w, scope, sessionKey, entry, now));
  }

  /** Makes these the only entries of a scope, all at once; other scopes are not touched. */
  replace(scope: string, entries: ReadonlyMap<string, JsonObject>): void {
    checkScope("routing.replace", scope);
    for (const [sessionKey, entry] of entries) checkEntry("routing.replace", sessionKey, entry);
    const now = this.#context.clock.now();
    this.#context.write("replace the routes of a scope", (w) => replaceRoutes(w, scope, entries, now));
  }

  /** Every entry of a scope, by key. One that cannot be read says so in `damaged` and spoils no other. */
  load(scope: string): readonly RoutingRow[] {
    checkScope("routing.load", scope);
    return this.#context.read((r) => loadRoutes(r, scope));
  }

  /** One entry, or undefined. */
  find(scope: string, sessionKey: string): RoutingRow | undefined {
    checkScope("routing.find", scope);
    return this.#context.read((r) => findRoute(r, scope, sessionKey));
  }

  /** Deletes one entry. @returns Whether there was one. */
  delete(scope: string, sessionKey: string): boolean {
    checkScope("routing.delete", scope);
    return this.#context.write("delete a route", (w) => deleteRoute(w, scope, sessionKey));
  }

  /**
   * Brings what somebody made of entries that they had read into the stored ones, field by field, in one transaction:
   * a stale snapshot overwrites nothing that others changed (CPT-10). Of a field that both changed this change stands.
   *
   * @param options - `refuseOvertaken`: then nothing at all is written where others changed a field that is changed
   *   here too, or added the same key. Read again and make the changes anew.
   * @returns What became of each key.
   */
  mergeChanges(
    scope: string,
    changes: ReadonlyMap<string, RouteChange>,
    options: { readonly refuseOvertaken?: boolean } = {},
  ): ReadonlyMap<string, RouteChangeOutcome> {
    const what = "routing.mergeChanges";
    checkScope(what, scope);
    checkKnownOptions(what, options, ["refuseOvertaken"]);
    for (const [sessionKey, { before, after }] of changes) {
      for (const entry of [before, after]) if (entry !== undefined) checkEntry(what, sessionKey, entry);
    }
    const now = this.#context.clock.now();
    return this.#context.write("change routes", (w) => {
      if (options.refuseOvertaken === true) {
        const overtaken = [...changes].filter(([key, change]) => isOvertaken(w, scope, key, change));
        if (overtaken.length > 0) return new Map(overtaken.map(([key]) => [key, "overtaken"] as const));
      }
      const outcomes = [...changes].map(
        ([key, change]) => [key, mergeRouteChange(w, scope, key, change, now)] as const,
      );
      return new Map(outcomes);
    });
  }

  /**
   * Writes down who talks in a session, over what was there. A display name and an origin are kept where the record has
   * none. The source follows too, unless that would move the session across the line that the search index draws.
   *
   * @param options - `includeAncestors`: also in the earlier segments of the conversation.
   * @returns Whether there is such a session.
   */
  recordPeer(sessionId: string, peer: PeerRecord, options: { readonly includeAncestors?: boolean } = {}): boolean {
    checkText("routing.recordPeer: the session id", sessionId);
    checkPeer("routing.recordPeer", peer, ["source", "sessionKey"], ["displayName", "originJson"]);
    checkKnownOptions("routing.recordPeer", options, ["includeAncestors"]);
    const { includeAncestors = false } = options;
    return this.#context.write(
      "record the peer of a session",
      (w) => recordPeer(w, sessionId, peer, includeAncestors),
      "transcript",
    );
  }

  /** The newest session of every routing key, the newest first. @param options - `source`: of one platform only. */
  listGatewaySessions(options: { readonly source?: string } = {}): readonly SessionRow[] {
    checkKnownOptions("routing.listGatewaySessions", options, ["source"]);
    const { source } = options;
    if (source !== undefined) checkText("routing.listGatewaySessions: source", source);
    this.#context.settleUsage("read");
    return this.#context.read((r) => newestPerKey(r, source ?? null));
  }

  /**
   * The live session of a place on a platform; undefined when there is none, and when there are several and it is not
   * certain whose is meant. A session of one person is never given to another.
   *
   * @param address - `chatId` is required; without a `threadId` only sessions outside of threads are meant.
   */
  findSessionByOrigin(address: PeerAddress): SessionRow | undefined {
    checkPeer("routing.findSessionByOrigin", address, ["source", "chatId"]);
    return this.#context.read((r) => sessionAt(r, address));
  }

  /**
   * The session a peer was last in, for a gateway that lost its route: live, or ended by an accident, and with
   * messages. It goes by the key, else by the whole address when chat and chat type are known. What came before a
   * deliberate end stays ended (P18).
   */
  findLatestForPeer(peer: KeyedPeer): SessionRow | undefined {
    checkPeer("routing.findLatestForPeer", peer, ["source", "sessionKey"]);
    return this.#context.read((r) => latestForPeer(r, peer));
  }
}

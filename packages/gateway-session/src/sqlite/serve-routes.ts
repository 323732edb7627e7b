import type { SessionStoragePort } from "../port/session-storage-port.js";
import { storedRoute } from "../port/stored-route.js";
import type { AnyStore } from "./any-store.js";
import { keyedSession } from "./keyed-session.js";
import { OutlinedRoute } from "./outlined-route.js";

/** The part of the port that is about routes and the sessions they lead to. */
export type RouteStorage = Pick<
  SessionStoragePort,
  | "loadRoutes"
  | "findRoute"
  | "saveRoute"
  | "addMissingRoutes"
  | "transition"
  | "standing"
  | "standings"
  | "latestForPeer"
  | "sessionAt"
  | "sessionsOfKey"
  | "countSessions"
  | "setProperties"
  | "generation"
>;

const EVERY_SESSION = { includeChildren: true, archived: "include", hidden: "include" } as const;

/** Serves routes from a store. */
export function serveRoutes({ routing, sessions }: AnyStore): RouteStorage {
  return {
    async loadRoutes(scope) {
      return (await routing.outlines(scope)).map((outline) => new OutlinedRoute(outline));
    },
    async findRoute(scope, sessionKey) {
      const row = await routing.find(scope, sessionKey);
      return row && storedRoute(sessionKey, row);
    },
    saveRoute: async (scope, sessionKey, entry, sessionId) => routing.saveOver(scope, sessionKey, entry, sessionId),
    addMissingRoutes: async (scope, entries) => routing.addMissing(scope, entries),
    transition: async (step) => routing.transition(step),
    standing: async (sessionId) => routing.standing(sessionId),
    standings: async (sessionIds) => routing.standings(sessionIds),
    async latestForPeer(peer) {
      const row = await routing.findLatestForPeer(peer);
      return row && keyedSession(row);
    },
    async sessionAt(address) {
      const row = await routing.findSessionByOrigin(address);
      return row && keyedSession(row);
    },
    async sessionsOfKey(sessionKey, limit) {
      return (await routing.sessionsOfKey(sessionKey, limit)).map(keyedSession);
    },
    countSessions: async () => sessions.count(EVERY_SESSION),
    async setProperties(sessionId, { title, ...flags }) {
      return routing.setProperties(sessionId, { flags, ...(title !== undefined && { title }) });
    },
    generation: async (source, sessionKey) => routing.generation(source, sessionKey),
  };
}

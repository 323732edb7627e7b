import type { AsyncStateStore, StateStore } from "@hermes/state-core";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import { serveRecords } from "./serve-records.js";
import { serveRoutes } from "./serve-routes.js";
import { serveTranscripts } from "./serve-transcripts.js";

/**
 * Keeps routes and transcripts in one store (GWS-10). The store stays the caller's: whoever opened it closes it.
 *
 * @param store - Of either kind: one that works on this thread, or one served by a worker.
 * @example
 * ```ts
 * using store = openStateStore({ path: "state.db" });
 * const router = await createSessionRouter(sqliteStorage(store), { scope: "/srv/sessions" });
 * ```
 */
export function sqliteStorage(store: StateStore | AsyncStateStore): SessionStoragePort {
  return { ...serveRoutes(store), ...serveTranscripts(store), ...serveRecords(store) };
}

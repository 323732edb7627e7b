import { sessionOfEntry } from "@hermes/state-core";
import type { RoutingRow } from "@hermes/state-core";
import type { StoredRoute } from "./session-storage-port.js";

/** A row of the routing table as a storage hands it out. */
export function storedRoute(sessionKey: string, { entry, updatedAtSeconds }: RoutingRow): StoredRoute {
  return { sessionKey, sessionId: sessionOfEntry(entry), entry, savedAtSeconds: updatedAtSeconds ?? undefined };
}

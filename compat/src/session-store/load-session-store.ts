import { existsSync } from "node:fs";
import type { JsonObject } from "@hermes/state-core";
import { storePlace } from "./store-place.js";
import { withStore } from "./with-store.js";

/** The entries of a session store by key, as they are stored: a snapshot that may be changed freely. */
export type SessionStoreSnapshot = Record<string, Record<string, unknown>>;

/**
 * Every entry of an old session store, as it is now; none where there is no store yet. What is changed in the result
 * stays there: use `updateSessionStore` to change the store.
 *
 * @param storePath - The old `sessions.json`, its folder, or the database. Default: that of the default database.
 */
export function loadSessionStore(storePath?: string): SessionStoreSnapshot {
  if (!existsSync(storePlace(storePath).databasePath)) return {};
  const rows = withStore(storePath, (store, { sessionsFolder }) => store.routing.load(sessionsFolder));
  const entries = rows.flatMap(({ sessionKey, entry }): [string, JsonObject][] =>
    typeof sessionKey === "string" && entry ? [[sessionKey, entry]] : [],
  );
  return structuredClone(Object.fromEntries(entries));
}

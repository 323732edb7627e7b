import { acquireStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { storePlace } from "./store-place.js";
import type { StorePlace } from "./store-place.js";

/** Runs `use` on the store of a place; the handle is shared with the host's and given back. */
export function withStore<T>(storePath: string | undefined, use: (store: StateStore, place: StorePlace) => T): T {
  const place = storePlace(storePath);
  using store = acquireStateStore(place.databasePath);
  return use(store, place);
}

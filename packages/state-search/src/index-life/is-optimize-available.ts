import type { StateStore } from "@hermes/state-core";
import { isUpgradeAvailable, SCHEMA_VERSION } from "@hermes/state-schema";

/**
 * True when an upgrade of the storage has something to do: an old layout, a pending backfill, tables of an upgrade that
 * was interrupted, an empty or detached index. Reads only, so it never waits for a writer (SEA-12).
 *
 * @returns False on a store that is open for reading, and where this runtime or this version could not do it.
 */
export function isOptimizeAvailable(store: Pick<StateStore, "info" | "read" | "readonly">): boolean {
  if (store.readonly) return false;
  const { capabilities, schemaVersion = 0 } = store.info();
  return schemaVersion <= SCHEMA_VERSION && store.read((r) => isUpgradeAvailable(r, capabilities));
}

import type { JsonObject, RouteChange } from "@hermes/state-core";
import { loadSessionStore } from "./load-session-store.js";
import type { SessionStoreSnapshot } from "./load-session-store.js";
import { withStore } from "./with-store.js";

/** A key may be any text, `constructor` too. */
function entryAt(snapshot: SessionStoreSnapshot, key: string): JsonObject | undefined {
  return Object.hasOwn(snapshot, key) ? (snapshot[key] as JsonObject | undefined) : undefined;
}

function changesOf(before: SessionStoreSnapshot, after: SessionStoreSnapshot): Map<string, RouteChange> {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map([...keys].map((key) => [key, { before: entryAt(before, key), after: entryAt(after, key) }]));
}

/**
 * Lets a plugin change entries of an old session store. What it changed is brought into the stored rows field by field:
 * a snapshot that is stale by then overwrites nothing that others changed meanwhile, deletes nothing that they touched,
 * and rows it did not touch are not written (CPT-10).
 *
 * @param storePath - As for `loadSessionStore`.
 * @param mutator - Changes the snapshot it is given, at once or in its own time.
 * @returns What the mutator returned.
 * @throws What the mutator throws: then nothing is changed.
 */
export async function updateSessionStore<T>(
  storePath: string | undefined,
  mutator: (snapshot: SessionStoreSnapshot) => T | Promise<T>,
): Promise<T> {
  const before = loadSessionStore(storePath);
  const draft = structuredClone(before);
  const result = await mutator(draft);
  // What JSON cannot hold was never stored by the old store either.
  const after = JSON.parse(JSON.stringify(draft)) as SessionStoreSnapshot;
  withStore(storePath, (store, { sessionsFolder }) =>
    store.routing.mergeChanges(sessionsFolder, changesOf(before, after)),
  );
  return result;
}

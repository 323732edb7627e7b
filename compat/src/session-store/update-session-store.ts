import { StateError } from "@hermes/state-core";
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

/** What JSON cannot hold was never stored by the old store either. */
function asStored(snapshot: SessionStoreSnapshot): SessionStoreSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as SessionStoreSnapshot;
}

/** More often than that nobody is in the way by chance. */
const TRIES = 100;

/**
 * Lets a plugin change entries of an old session store. What it changed is brought into the stored rows field by field:
 * a snapshot that is stale by then overwrites nothing that others changed meanwhile, deletes nothing that they touched,
 * and rows it did not touch are not written (CPT-10). Where others changed the very field that it changed, or added the
 * key that it added, nothing is written and it is asked again, with a snapshot of what is stored now.
 *
 * @param storePath - As for `loadSessionStore`.
 * @param mutator - Changes the snapshot it is given, at once or in its own time. It may be called more than once: what
 *   it does beside that must bear it.
 * @returns What the mutator returned, the last time.
 * @throws What the mutator throws: then nothing is changed. StateError `STATE_E_BUSY` when others are always faster.
 */
export async function updateSessionStore<T>(
  storePath: string | undefined,
  mutator: (snapshot: SessionStoreSnapshot) => T | Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = loadSessionStore(storePath);
    const draft = structuredClone(before);
    const result = await mutator(draft);
    const changes = changesOf(asStored(before), asStored(draft));
    const outcomes = withStore(storePath, (store, { sessionsFolder }) =>
      store.routing.mergeChanges(sessionsFolder, changes, { refuseOvertaken: true }),
    );
    if (![...outcomes.values()].includes("overtaken")) return result;
  }
  throw new StateError(
    "STATE_E_BUSY",
    `Others changed the same entries ${TRIES} times in the meantime. Nothing was written; try again later.`,
    { tries: TRIES },
  );
}

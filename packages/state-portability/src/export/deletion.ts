import { sessionsInUse } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { othersThanShown, sessionInUse } from "./export-errors.js";
import { checkScope, sessionNotFound, treeOf } from "./lineage-sessions.js";
import type { LineageScope } from "./lineage-sessions.js";

/** What goes, and by which rule, so that it can be looked up again. */
export interface Deletion {
  readonly sessionIds: readonly string[];
  readonly lineage: LineageScope;
  /** Every session, with its delegates. */
  readonly targets: readonly string[];
}

/** What somebody wants to go. */
export interface WantedDeletion {
  readonly sessionIds: readonly string[];
  readonly lineage?: LineageScope;
  readonly expected?: readonly string[];
}

/** The sessions that a deletion names: those of a tree one by one, others by their ids. */
export function namedSessions(r: Reader, { sessionIds, lineage }: Pick<Deletion, "sessionIds" | "lineage">): string[] {
  return lineage === "tree" ? [...new Set(sessionIds.flatMap((id) => treeOf(r, id)))] : [...sessionIds];
}

/**
 * Every session that would go with some others: as much of their lineage as asked for, and all delegates.
 *
 * @returns In the order of the deletion; pass it back as `expected`.
 * @throws STATE_E_SESSION_NOT_FOUND, RangeError for an unknown scope.
 */
export function deletionTargets(
  store: StateStore,
  sessionIds: readonly string[],
  lineage: LineageScope = "single",
): readonly string[] {
  checkScope(lineage);
  const named = store.read((r) => namedSessions(r, { sessionIds, lineage }));
  const targets = store.retention.getDeleteTargets(named, { includeLineage: lineage === "logical" });
  const known = new Set(targets);
  const missing = sessionIds.find((id) => !known.has(id));
  if (missing !== undefined) throw sessionNotFound(missing);
  return targets;
}

/**
 * Works out what goes, before anything is written.
 *
 * @throws STATE_E_SESSION_NOT_FOUND, STATE_E_SESSION_IN_USE, STATE_E_TARGETS_CHANGED, TypeError without any session.
 */
export function selectDeletion(store: StateStore, wanted: WantedDeletion): Deletion {
  const { sessionIds, lineage = "single", expected } = wanted;
  if (!((sessionIds as readonly string[] | undefined)?.length ?? 0)) {
    throw new TypeError("exportThenDelete: sessionIds must name at least one session.");
  }
  const targets = deletionTargets(store, sessionIds, lineage);
  if (expected && !sameIds(expected, targets)) throw othersThanShown(expected, targets);
  const inUse = store.read((r) => sessionsInUse(r, store.clock.now()));
  for (const id of targets) {
    const lease = inUse.get(id);
    if (lease) throw sessionInUse(id, lease);
  }
  return { sessionIds: [...sessionIds], lineage, targets };
}

/** True when both name the same sessions. */
export function sameIds(a: Iterable<string>, b: Iterable<string>): boolean {
  const [one, other] = [new Set(a), new Set(b)];
  return one.size === other.size && [...one].every((id) => other.has(id));
}

import { sessionsInUse, StateError } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";

/**
 * Refuses to replace a session in which a turn or a compaction is under way (COR-25).
 *
 * @param now - REAL seconds.
 * @throws STATE_E_SESSION_IN_USE
 */
export function refuseInUse(r: Reader, id: string, now: number): void {
  const lease = sessionsInUse(r, now).get(id);
  if (!lease) return;
  throw new StateError(
    "STATE_E_SESSION_IN_USE",
    `Session ${id} is in use by ${lease.holder}, so it is not replaced. Wait until its turn has ended.`,
    { sessionId: id, holder: lease.holder },
  );
}

import { StateError } from "../errors/state-error.js";
import type { LeaseRow } from "./lease.js";

function nowHeldBy(row: LeaseRow | undefined): string {
  return row ? `it belongs to ${JSON.stringify(row.holder)} now` : "nobody holds it";
}

/** A turn goes on without its lease: another process may have answered meanwhile. */
export function turnLeaseLost(sessionId: string, holder: string, row: LeaseRow | undefined): StateError {
  return new StateError(
    "STATE_E_TURN_LEASE_LOST",
    `The turn lease of session ${JSON.stringify(sessionId)} was lost by ${JSON.stringify(holder)}: ` +
      `${nowHeldBy(row)}. Nothing was stored; stop this turn and load the conversation again.`,
    { sessionId, holder, heldBy: row?.holder, bucket: "turn_lease" },
  );
}

/** The turn stayed somebody else's for as long as the caller would wait. */
export function turnLeaseHeld(sessionId: string, row: LeaseRow | undefined, waitedSeconds: number): StateError {
  return new StateError(
    "STATE_E_TURN_LEASE_HELD",
    `The turn lease of session ${JSON.stringify(sessionId)} did not come free within ` +
      `${waitedSeconds.toFixed(0)} s: ${nowHeldBy(row)}. Try again when that turn has ended.`,
    { sessionId, heldBy: row?.holder, waitedSeconds, bucket: "turn_lease" },
  );
}

/** The caller asked to stop waiting. */
export function turnWaitStopped(sessionId: string, waitedSeconds: number): StateError {
  return new StateError(
    "STATE_E_ABORTED",
    `Waiting for the turn lease of session ${JSON.stringify(sessionId)} was stopped after ` +
      `${waitedSeconds.toFixed(0)} s. Nothing was claimed; start the turn again when it is wanted.`,
    { sessionId, waitedSeconds },
  );
}

/** A compaction is about to publish without its lease: another one may have begun. */
export function compressionLeaseLost(
  sessionId: string,
  holder: string | undefined,
  row: LeaseRow | undefined,
): StateError {
  const whose = holder === undefined ? "of no holder" : `of ${JSON.stringify(holder)}`;
  return new StateError(
    "STATE_E_COMPRESSION_BUSY",
    `The compression lease ${whose} on session ${JSON.stringify(sessionId)} was lost before the commit: ` +
      `${nowHeldBy(row)}. Nothing was changed; take the lease and start the compaction again.`,
    { sessionId, holder, heldBy: row?.holder, bucket: "compression" },
  );
}

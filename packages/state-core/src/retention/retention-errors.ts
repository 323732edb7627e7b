import { StateError } from "../errors/state-error.js";
import type { LeaseRow } from "../leases/lease.js";
import type { OtherHolders } from "../store/store-file.js";

/** A session cannot go while somebody works with it. */
export function sessionInUse(sessionId: string, { kind, holder }: LeaseRow): StateError {
  const doing = kind === "turn" ? "A turn of its conversation" : "A compaction of it";
  return new StateError(
    "STATE_E_SESSION_IN_USE",
    `Session ${JSON.stringify(sessionId)} is in use. ${doing} is under way, by ${JSON.stringify(holder)}. ` +
      "Nothing was deleted; try again when that has ended.",
    { sessionId, kind, heldBy: holder, bucket: kind === "turn" ? "turn_lease" : "compression" },
  );
}

/** The file cannot be rewritten while others have it open: they would wait for as long as that takes. */
export function storeHeld(path: string, doing: string, { connections, processes }: OtherHolders): StateError {
  const who = [
    ...(processes.length > 0 ? [`process ${processes.join(", ")}`] : []),
    ...(connections > 0 ? [`${String(connections)} other connections of this process`] : []),
  ];
  return new StateError(
    "STATE_E_STORE_HELD",
    `Could not ${doing}: ${path} is open elsewhere too (${who.join("; ")}). ` +
      "Close it there, or force it and let them wait.",
    { path, doing, processes, connections },
  );
}

import type { RebuildAdmission } from "../sql/rebuild-admission.js";
import type { SchemaHost } from "../sql/handles.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { noteRebuildDeferral } from "./rebuild-deferral.js";
import { isStale, replaceIndex, type ReplacedIndex, type ReplacingHost } from "./replace-index.js";

/** What recovering an index needs of its host. */
export type RecoveryHost = ReplacingHost & Pick<SchemaHost, "admitRebuild" | "now">;

/** How an attempt to recover a stale index ended; `current` means that it is not stale any more. */
export type IndexRecovery =
  | { readonly kind: "current" }
  | ({ readonly kind: "recovered" } & ReplacedIndex)
  | Extract<RebuildAdmission, { kind: "deferred" }>;

/**
 * Replaces a stale index if nobody else has the file open and nobody rebuilds; else writes down that it was put off
 * (SEA-11). Whatever goes wrong, the index stays detached and the next attempt begins anew.
 *
 * @throws IndexReplacementError, and a busy file's error as it comes.
 */
export function recoverIndex(host: RecoveryHost, capabilities: SqliteCapabilities): IndexRecovery {
  const admission = host.admitRebuild();
  if (admission.kind === "deferred") {
    note(host, admission.holders.map(({ pid }) => pid));
    return admission;
  }
  try {
    const replaced = replaceIndex(host, capabilities, isStale);
    return replaced === undefined ? { kind: "current" } : { kind: "recovered", ...replaced };
  } finally {
    admission.release();
  }
}

function note(host: RecoveryHost, pids: readonly number[]): void {
  try {
    host.transaction("note that the search index stays stale", (w) => {
      if (isStale(w)) noteRebuildDeferral(w, host.now(), pids);
    });
  } catch (error) {
    // A note for people: a busy file is no reason to fail.
    if (!host.isBusy(error)) throw error;
  }
}

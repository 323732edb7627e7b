import { StateError } from "@hermes/state-core";
import type { LeaseRow } from "@hermes/state-core";

const KEPT = "Nothing was deleted.";

/** Deleting what only a lossless file can bring back. */
export function lossyFormat(format: string, losses: readonly string[]): StateError {
  return new StateError(
    "STATE_E_EXPORT_LOSSY",
    `Sessions are not deleted after an export as ${format}, which does not hold all of them: ${losses[0] ?? ""} ` +
      `${KEPT} Export them as jsonl.`,
    { format, losses },
  );
}

/** Somebody works with a session that was to go. */
export function sessionInUse(sessionId: string, { kind, holder }: LeaseRow): StateError {
  return new StateError(
    "STATE_E_SESSION_IN_USE",
    `Session ${JSON.stringify(sessionId)} is in use by ${JSON.stringify(holder)}. ${KEPT} ` +
      "Try again when that has ended.",
    { sessionId, kind, heldBy: holder },
  );
}

/** The file that was written says something else than what was to be in it. */
export function unverified(path: string, reason: string, facts: object = {}): StateError {
  return new StateError(
    "STATE_E_EXPORT_UNVERIFIED",
    `The export ${path} was read again, and ${reason}. ${KEPT} Do not rely on this file; write it to another disk.`,
    { path, reason, ...facts },
  );
}

/** The store went on after it was exported. */
export function changedSince(path: string, sessionId: string, exported: number, stored: number): StateError {
  const how = exported === stored ? "" : `: ${String(exported)} messages then, ${String(stored)} now`;
  return new StateError(
    "STATE_E_EXPORT_CHANGED",
    `Session ${JSON.stringify(sessionId)} was changed after it was exported to ${path}${how}. ${KEPT} ` +
      "The file is whole and holds what was there before; run it again with another file name.",
    { path, sessionId, exported, stored },
  );
}

/** Other sessions would go now than are in the file. */
export function targetsChanged(path: string, exported: readonly string[]): StateError {
  return new StateError(
    "STATE_E_TARGETS_CHANGED",
    `Other sessions would be deleted now than were exported to ${path}. ${KEPT} The file is whole; run it again with ` +
      "another file name.",
    { path, exported },
  );
}

/** Other sessions would go than somebody was shown. */
export function othersThanShown(expected: readonly string[], targets: readonly string[]): StateError {
  return new StateError(
    "STATE_E_TARGETS_CHANGED",
    "Nothing was exported or deleted: other sessions would go now than were shown. Look again and repeat it.",
    { expected, targets },
  );
}

/** A file with this name is there, and it is not the export that was to be written. */
export function targetTaken(path: string): StateError {
  return new StateError(
    "STATE_E_EXPORT_TARGET",
    `The export target ${path} exists already and does not hold exactly these sessions as they are. ${KEPT} ` +
      "It may be the only copy of what was deleted earlier, so it is never overwritten: choose another name.",
    { path, reason: "exists already" },
  );
}

/** The caller wants no more of it. */
export function stoppedBeforeDeletion(path: string, signal: AbortSignal): StateError {
  return new StateError(
    "STATE_E_ABORTED",
    `It was stopped after the export to ${path}. ${KEPT} Run it again; a whole file is used as it is.`,
    { path },
    { cause: signal.reason },
  );
}

import { StateError } from "../errors/state-error.js";

/**
 * The next segment would not be the one that the lineage of its parent leads to.
 *
 * @param otherId - Where it would lead; undefined for nowhere.
 */
export function continuationHidden(parentId: string, sessionId: string, otherId: string | undefined): StateError {
  const why =
    otherId === undefined
      ? "a tool session continues nothing"
      : `${JSON.stringify(otherId)} is taken for its continuation already`;
  return new StateError(
    "STATE_E_CONTINUATION_HIDDEN",
    `Session ${JSON.stringify(parentId)} cannot be rotated into ${JSON.stringify(sessionId)}: ${why}. ` +
      "Nothing was changed; compact it in place with compaction.archive.",
    { parentId, sessionId, otherId },
  );
}

/** What was written back does not read back as it was. */
export function healthNotRestored(sessionId: string): StateError {
  return new StateError(
    "STATE_E_HEALTH_NOT_RESTORED",
    `The compaction health of session ${JSON.stringify(sessionId)} did not read back as it was restored. ` +
      "Nothing was changed; look for a trigger on sessions that rewrites it.",
    { sessionId },
  );
}

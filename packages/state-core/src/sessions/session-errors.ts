import { StateError } from "../errors/state-error.js";

/** No session has this id. */
export function sessionNotFound(sessionId: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `There is no session ${JSON.stringify(sessionId)}. Look it up with sessions.resolve, or create it first.`,
    { sessionId },
  );
}

/** A session with this id is there already. */
export function sessionExists(sessionId: string): StateError {
  return new StateError(
    "STATE_E_SESSION_EXISTS",
    `A session ${JSON.stringify(sessionId)} exists already. Use sessions.ensure to fill in what it lacks.`,
    { sessionId },
  );
}

/** The session that should be the parent does not exist. */
export function parentNotFound(sessionId: string, parentSessionId: string): StateError {
  return new StateError(
    "STATE_E_PARENT_NOT_FOUND",
    `The parent ${JSON.stringify(parentSessionId)} of session ${JSON.stringify(sessionId)} does not exist. ` +
      "Create the parent first.",
    { sessionId, parentSessionId },
  );
}

/**
 * The session was closed by a compaction and takes no messages.
 *
 * @param tipId - Where the conversation goes on; undefined while nothing continues it.
 */
export function compressionClosed(sessionId: string, tipId: string | undefined): StateError {
  const next =
    tipId === undefined
      ? "A compaction still holds it; try again when it has finished."
      : `Append to its live continuation ${JSON.stringify(tipId)} instead.`;
  return new StateError(
    "STATE_E_COMPRESSION_CLOSED",
    `Session ${JSON.stringify(sessionId)} was closed by compression. ${next}`,
    { sessionId, tipId, bucket: "compression_closed" },
  );
}

const NOT_ADOPTABLE = {
  none: "nothing continues it. Reopen it with lineage.reopenOrphan once no compaction holds it",
  ended: "its continuation has ended. Reopen that one with sessions.reopen, or start a new session",
  ambiguous: "more than one live session continues it. End all but one of them",
} as const;

/**
 * A session was closed by compression and there is not exactly one live session to go on in.
 *
 * @param tipId - Where its lineage leads; undefined when nothing continues it.
 */
export function noLiveContinuation(
  sessionId: string,
  tipId: string | undefined,
  reason: keyof typeof NOT_ADOPTABLE,
): StateError {
  const tip = tipId === undefined ? "" : ` Its lineage leads to ${JSON.stringify(tipId)}.`;
  return new StateError(
    "STATE_E_NO_LIVE_CONTINUATION",
    `Session ${JSON.stringify(sessionId)} was closed by compression and ${NOT_ADOPTABLE[reason]}.${tip}`,
    { sessionId, tipId, reason, bucket: "compression_closed" },
  );
}

/** A session has ended for a reason that stands. */
export function sessionEnded(sessionId: string, reason: string | null): StateError {
  return new StateError(
    "STATE_E_SESSION_ENDED",
    `Session ${JSON.stringify(sessionId)} has ended (${JSON.stringify(reason)}). Reopen it with sessions.reopen first.`,
    { sessionId, reason },
  );
}

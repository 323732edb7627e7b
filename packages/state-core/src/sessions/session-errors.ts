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

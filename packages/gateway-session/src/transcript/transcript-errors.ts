import { classifyPersistenceError, explainPersistenceCause, StateError } from "@hermes/state-core";

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "Free space on its volume and try again.",
  EDQUOT: "Free space on its volume and try again.",
  EFBIG: "Free space on its volume and try again.",
};

/** What was thrown, as an Error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A message could not be put on disk, or not be read from there. */
export function spoolFailed(folder: string, doing: string, cause: unknown): StateError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ""] ?? `Make the folder usable for this user: chmod u+rwx "${folder}", and try again.`;
  return new StateError(
    "STATE_E_SPOOL_FAILED",
    `Could not ${doing} in ${folder}: ${message}. ${advice}`,
    { folder, doing, errno: code },
    { cause },
  );
}

/** A file in the spool that holds no message a store could take; it was set aside. */
export function badSpoolFile(file: string, why: string): StateError {
  return new StateError(
    "STATE_E_SPOOL_FILE_BAD",
    `${file} ${why}. It was set aside and is kept; look at it, and delete it when it is of no use.`,
    { file, why },
  );
}

/** The store cannot be written any more through this handle, so neither can this writer (GWS-05). */
export function writerStopped(cause: unknown, folder: string): StateError {
  const bucket = classifyPersistenceError(cause);
  return new StateError(
    "STATE_E_WRITER_STOPPED",
    `The transcript writer has stopped: ${asError(cause).message} ` +
      `Messages are kept in ${folder} from now on. ${explainPersistenceCause(bucket)} ` +
      "Then open a new transcript writer: it stores what is kept there.",
    { bucket, folder, code: (cause as { code?: unknown } | null)?.code },
    { cause },
  );
}

/** Use of a writer after its close. */
export function writerClosed(doing: string): StateError {
  return new StateError("STATE_E_CLOSED", `Could not ${doing}: the transcript writer is closed. Open a new one.`, {
    doing,
  });
}

/** A compaction closed the session, and the session its conversation went on in has ended too. */
export function noLiveTip(sessionId: string, tipId: string): StateError {
  return new StateError(
    "STATE_E_NO_LIVE_CONTINUATION",
    `Session ${JSON.stringify(sessionId)} was closed by compression and its continuation ${JSON.stringify(tipId)} ` +
      "has ended. The message was set aside; append to a session that is live.",
    { sessionId, tipId, reason: "ended", bucket: "compression_closed" },
  );
}

/** A message for a key that nobody talks under. */
export function keyNotRouted(sessionKey: string): StateError {
  return new StateError(
    "STATE_E_ROUTE_NOT_FOUND",
    `No session is known for the key ${JSON.stringify(sessionKey)}. Resolve its source first.`,
    { sessionKey },
  );
}

/** A rewrite, or a rewind, while earlier messages of the session could not be stored. */
export function backlogLeft(sessionId: string, count: number, cause: unknown): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_BACKLOG",
    `Nothing was changed in session ${JSON.stringify(sessionId)}: ${count} earlier messages of it could not be ` +
      `stored yet (${asError(cause).message}). Try again when the store takes messages.`,
    { sessionId, count, code: (cause as { code?: unknown } | null)?.code },
    { cause },
  );
}

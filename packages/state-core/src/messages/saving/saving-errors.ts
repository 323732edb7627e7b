import { StateError } from "../../errors/state-error.js";

const RELOAD = "Load the conversation again and go on from what it returns.";

/**
 * Stored messages of the list say something else than what was stored.
 *
 * @param ids - Their rows.
 * @param positions - Their places in the list, from 0.
 */
export function transcriptEdited(
  sessionId: string,
  ids: readonly number[],
  positions: readonly number[],
): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_EDITED",
    `Messages ${ids.join(", ")} of session ${JSON.stringify(sessionId)} were changed after they were stored. ` +
      'Nothing was stored. Write the changes with messages.replace, or pass edited: "keep-stored" to leave the ' +
      "stored text as it is.",
    { sessionId, ids, positions },
  );
}

/** The list and the rows are not in one order. */
export function transcriptOrder(sessionId: string, position: number, reason: TranscriptOrderReason): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_ORDER",
    `Message ${position} of the list for session ${JSON.stringify(sessionId)} ${ORDER_REASONS[reason]}. ` +
      "Nothing was stored.",
    { sessionId, position, reason },
  );
}

/** Why {@link transcriptOrder}. */
export type TranscriptOrderReason = "inserted" | "moved" | "repeated";

const ORDER_REASONS: Readonly<Record<TranscriptOrderReason, string>> = {
  inserted:
    "is new and stands before stored ones, but rows are only ever added at the end. Rewrite the transcript with " +
    "messages.replace or compaction.archive, or move the message to the end",
  moved:
    "stands behind messages that were stored after it. Put the stored messages in the order they were loaded in, or " +
    "rewrite the transcript with messages.replace",
  repeated: "is a stored message for the second time. Leave its marker out to store it once more as a new message",
};

/**
 * Rows that the list names are not in the store.
 *
 * @param ids - The missing rows.
 */
export function transcriptStale(sessionId: string, ids: readonly number[]): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_STALE",
    `Messages ${ids.join(", ")}, which the list for session ${JSON.stringify(sessionId)} names as stored, are not ` +
      "there any more: they were replaced or deleted, or an older copy of the file was put back. Nothing was stored. " +
      RELOAD,
    { sessionId, ids, reason: "missing" },
  );
}

/** The list was loaded from an earlier segment of the conversation. */
export function transcriptOfAncestor(sessionId: string, loadedFrom: string): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_STALE",
    `The list for session ${JSON.stringify(sessionId)} was loaded from ${JSON.stringify(loadedFrom)}, which a ` +
      `compaction has closed since. Nothing was stored. ${RELOAD}`,
    { sessionId, loadedFrom, reason: "ancestor" },
  );
}

/**
 * The new messages of the list begin with everything that the session holds already.
 *
 * @param ids - The rows that they repeat.
 */
export function transcriptUnmarked(sessionId: string, ids: readonly number[]): StateError {
  return new StateError(
    "STATE_E_TRANSCRIPT_UNMARKED",
    `The list for session ${JSON.stringify(sessionId)} brings messages without a marker that repeat its rows ` +
      `${ids.join(", ")}. Nothing was stored. ${RELOAD} Pass repeated: "append" if they were said once more.`,
    { sessionId, ids },
  );
}

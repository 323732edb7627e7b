import type { Writer } from "@hermes/state-schema";
import { recountActive } from "../../compaction/active-rows.js";
import type { EncodedMessage } from "../encode-message.js";
import { insertMessages } from "../insert-messages.js";
import type { NewMessage } from "../new-message.js";
import type { MessageReceipt } from "../receipt.js";
import { requireOpenSession } from "../require-open-session.js";

/**
 * What happens to the rows that are there: `all` deletes every one, `active-only` deletes what the model sees and
 * leaves what is compacted or rewound, `archive-dropped` deletes nothing and hides what the model saw.
 */
export type ReplaceMode = (typeof REPLACE_MODES)[number];

/** The words of {@link ReplaceMode}. */
export const REPLACE_MODES = ["all", "active-only", "archive-dropped"] as const;

/** What a replacement did. */
export interface ReplacedTranscript {
  readonly sessionId: string;
  /** How many rows were deleted, or hidden. */
  readonly removedCount: number;
  /** The given list, every message of it marked as stored: go on from it. */
  readonly messages: readonly NewMessage[];
  /** One receipt per message, in order. */
  readonly receipts: readonly MessageReceipt[];
}

const LIVE = "session_id = ? AND COALESCE(active, 1) = 1";

const REMOVE: Readonly<Record<ReplaceMode, string>> = {
  all: "DELETE FROM messages WHERE session_id = ?",
  "active-only": `DELETE FROM messages WHERE ${LIVE}`,
  "archive-dropped": `UPDATE messages SET active = 0 WHERE ${LIVE}`,
};

/**
 * Puts a set of messages in the place of a session's rows, inside one transaction; the counters are those of the new
 * rows (COR-27).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`.
 */
export function replaceMessages(
  w: Writer,
  sessionId: string,
  messages: readonly EncodedMessage[],
  mode: ReplaceMode,
  now: number,
): Pick<ReplacedTranscript, "removedCount" | "receipts"> {
  requireOpenSession(w, sessionId, now);
  const removedCount = w.run(REMOVE[mode], [sessionId]).changes;
  const ids = insertMessages(w, messages);
  recountActive(w, sessionId);
  const receipts = messages.map(({ timestampSeconds }, index) => {
    return { id: ids[index] as number, sessionId, timestampSeconds, existing: false };
  });
  return { removedCount, receipts };
}

import type { Reader, Writer } from "@hermes/state-schema";
import { activeWatermark, recountActive } from "../../compaction/active-rows.js";
import { StateError } from "../../errors/state-error.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import { SELECT_MESSAGE } from "../message-queries.js";
import type { MessageRow } from "../message-row.js";
import { requireOpenSession } from "../require-open-session.js";

/** What a rewind did. */
export interface RewindReceipt {
  /** How many messages were taken back; 0 when they were already. */
  readonly rewoundCount: number;
  /** The user's message, ready to be edited and sent again. */
  readonly target: MessageRow;
  /** The last message the model still sees; null when there is none. */
  readonly newHeadId: number | null;
}

const TAKE_BACK = `
  UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND COALESCE(active, 1) = 1`;
const COUNT_REWIND = "UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + 1 WHERE id = ?";

const REASONS = {
  absent: "is no message of this session. Choose one with messages.recentUserTurns",
  role: "was not said by the user. Choose a user message with messages.recentUserTurns",
  compacted: "was summarised away by a compaction, so what the model would see up to it is not there any more. " +
    "Choose a later message",
} as const;

function badTarget(sessionId: string, messageId: number, reason: keyof typeof REASONS): StateError {
  return new StateError(
    "STATE_E_REWIND_TARGET",
    `Cannot rewind session ${JSON.stringify(sessionId)} to message ${messageId}: it ${REASONS[reason]}.`,
    { sessionId, messageId, reason },
  );
}

function readTarget(r: Reader, sessionId: string, messageId: number): MessageRow {
  const [cells] = r.tuples(SELECT_MESSAGE, [messageId]);
  const target = cells && MESSAGE_DECODER.decode(cells);
  if (target?.sessionId !== sessionId) throw badTarget(sessionId, messageId, "absent");
  if (target.role !== "user") throw badTarget(sessionId, messageId, "role");
  if (!target.active && target.compacted) throw badTarget(sessionId, messageId, "compacted");
  return target;
}

/** The last message the model sees, null when there is none. */
export function headOf(r: Reader, sessionId: string): number | null {
  return activeWatermark(r, sessionId) || null;
}

/**
 * Takes a user message and everything after it back, inside one transaction (COR-27).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_REWIND_TARGET`.
 */
export function rewindTo(w: Writer, sessionId: string, messageId: number, now: number): RewindReceipt {
  requireOpenSession(w, sessionId, now);
  const target = readTarget(w, sessionId, messageId);
  const rewoundCount = w.run(TAKE_BACK, [sessionId, messageId]).changes;
  w.run(COUNT_REWIND, [sessionId]);
  recountActive(w, sessionId);
  return { rewoundCount, target, newHeadId: headOf(w, sessionId) };
}

import type { Reader, Writer } from "@hermes/state-schema";
import { recountActive } from "../../compaction/active-rows.js";
import { readCopies } from "../display/read-copies.js";
import { requireOpenSession } from "../require-open-session.js";
import { headOf } from "./rewind.js";

/** What a restore did. */
export interface RestoreReceipt {
  /** How many messages came back. */
  readonly restoredCount: number;
  /** The last message the model sees now; null when there is none. */
  readonly newHeadId: number | null;
}

const HIDDEN = `
  SELECT id FROM messages WHERE session_id = ? AND id >= ? AND active = 0 AND COALESCE(compacted, 0) = 0 ORDER BY id`;

const FIRST_COMPACTED = `
  SELECT id FROM messages WHERE session_id = ? AND compacted = 1 ORDER BY id LIMIT 1`;

/**
 * Hidden rows that nobody took back: a compaction or a rewrite wrote their message again, later. Where nothing was ever
 * compacted, equal hidden rows are a user's repetitions.
 */
function writtenAgain(r: Reader, sessionId: string): Set<number> {
  const compacted = r.get<{ id: number }>(FIRST_COMPACTED, [sessionId])?.id ?? Infinity;
  const again = readCopies(r, sessionId).flatMap((group) =>
    group.filter(({ id }, index) =>
      group.slice(index + 1).some((later) => later.live || later.compacted || id > compacted),
    ),
  );
  return new Set(again.map((copy) => copy.id));
}

const BRING_BACK = "UPDATE messages SET active = 1 WHERE id IN (SELECT value FROM json_each(?))";

/**
 * Brings rewound messages back, inside one transaction. Compacted ones are never revived, nor the originals of what a
 * compaction carried over: the model would see them twice (COR-27).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`.
 */
export function restoreFrom(w: Writer, sessionId: string, messageId: number, now: number): RestoreReceipt {
  requireOpenSession(w, sessionId, now);
  const again = writtenAgain(w, sessionId);
  const hidden = w.all<{ id: number }>(HIDDEN, [sessionId, messageId]).map((row) => row.id);
  const ids = hidden.filter((id) => !again.has(id));
  if (ids.length > 0) {
    w.run(BRING_BACK, [JSON.stringify(ids)]);
    recountActive(w, sessionId);
  }
  return { restoredCount: ids.length, newHeadId: headOf(w, sessionId) };
}

import type { SqlValue, Writer } from "@hermes/state-schema";
import type { JsonObject } from "../codec/json-value.js";
import { assertCompressionLease } from "../leases/assert-lease.js";
import { tipOf } from "../lineage/walk-continuations.js";
import { INSERT_MESSAGE } from "../messages/encode-message.js";
import type { EncodedMessage } from "../messages/encode-message.js";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { compressionClosed, sessionNotFound } from "../sessions/session-errors.js";
import { patchConfig } from "../sessions/update-session.js";
import { activeAfter, recountActive } from "./active-rows.js";
import { cloneMessages } from "./clone-messages.js";

const SELECT_END = "SELECT end_reason AS reason FROM sessions WHERE id = ?";

const BELOW = "session_id = ? AND id <= ? AND COALESCE(active, 1) = 1";

/** Neither live nor compacted: what is carried over exists once more as a live copy, and must be found only once. */
const SUPERSEDE_LAST = `
  UPDATE messages SET active = 0, compacted = 0
  WHERE id IN (SELECT id FROM messages WHERE ${BELOW} ORDER BY id DESC LIMIT ?)`;
const SUPERSEDE_TAIL = `
  UPDATE messages SET active = 0, compacted = 0 WHERE id IN (SELECT value FROM json_each(?))`;
const ARCHIVE = `UPDATE messages SET active = 0, compacted = 1 WHERE ${BELOW}`;

/** A compaction in place, checked and encoded. */
export interface ArchivePlan {
  readonly sessionId: string;
  readonly messages: readonly EncodedMessage[];
  /** The last message that the summary speaks of. */
  readonly watermark: number;
  /** How many of the last messages up to the watermark `messages` carries over as they were. */
  readonly tailCount: number;
  readonly holder: string | undefined;
  readonly configPatch: JsonObject | undefined;
}

/** What a compaction in place did. */
export interface ArchiveReceipt {
  /** How many messages the model sees now. */
  readonly activeCount: number;
  /** How many messages the summary stands for; they stay, compacted. */
  readonly archivedCount: number;
  /** How many messages came in after the watermark and follow the summary. */
  readonly carriedCount: number;
}

function checkOpen(w: Writer, sessionId: string): void {
  const session = w.get<{ reason: string | null }>(SELECT_END, [sessionId]);
  if (!session) throw sessionNotFound(sessionId);
  if (session.reason !== COMPRESSION_END_REASON) return;
  const tip = tipOf(w, sessionId);
  throw compressionClosed(sessionId, tip === sessionId ? undefined : tip);
}

/**
 * Replaces the live messages of a session up to a watermark by others, inside one transaction (COR-24). What came in
 * after the watermark follows them, copied with every column.
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_COMPRESSION_BUSY`, `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`.
 */
export function archiveInPlace(w: Writer, plan: ArchivePlan, now: number): ArchiveReceipt {
  const { sessionId, messages, watermark, tailCount, holder, configPatch } = plan;
  if (holder !== undefined) assertCompressionLease(w, sessionId, holder, now);
  checkOpen(w, sessionId);
  if (configPatch !== undefined) patchConfig(w, sessionId, configPatch);
  const tail = activeAfter(w, sessionId, watermark);
  const below: readonly SqlValue[] = [sessionId, watermark];
  const superseded = tailCount > 0 ? w.run(SUPERSEDE_LAST, [...below, tailCount]).changes : 0;
  const archived = w.run(ARCHIVE, below).changes;
  if (tail.length > 0) w.run(SUPERSEDE_TAIL, [JSON.stringify(tail)]);
  for (const message of messages) w.run(INSERT_MESSAGE, message.params);
  cloneMessages(w, sessionId, tail);
  const activeCount = recountActive(w, sessionId);
  return { activeCount, archivedCount: archived + superseded, carriedCount: tail.length };
}

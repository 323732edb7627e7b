import type { SqlValue, Writer } from "@hermes/state-schema";
import type { JsonObject } from "../codec/json-value.js";
import { assertCompressionLease } from "../leases/assert-lease.js";
import type { EncodedMessage } from "../messages/encode-message.js";
import { insertMessages } from "../messages/insert-messages.js";
import { requireOpenSession } from "../messages/require-open-session.js";
import { patchConfig } from "../sessions/update-session.js";
import { activeAfter, recountActive } from "./active-rows.js";
import { cloneMessages } from "./clone-messages.js";

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
  requireOpenSession(w, sessionId, now);
  if (configPatch !== undefined) patchConfig(w, sessionId, configPatch);
  const tail = activeAfter(w, sessionId, watermark);
  const below: readonly SqlValue[] = [sessionId, watermark];
  const superseded = tailCount > 0 ? w.run(SUPERSEDE_LAST, [...below, tailCount]).changes : 0;
  const archived = w.run(ARCHIVE, below).changes;
  if (tail.length > 0) w.run(SUPERSEDE_TAIL, [JSON.stringify(tail)]);
  insertMessages(w, messages);
  cloneMessages(w, sessionId, tail);
  const activeCount = recountActive(w, sessionId);
  return { activeCount, archivedCount: archived + superseded, carriedCount: tail.length };
}

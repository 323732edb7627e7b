import type { Writer } from "@hermes/state-schema";
import { assertTurnLease } from "../leases/assert-lease.js";
import type { EncodedMessage } from "./encode-message.js";
import { insertMessages } from "./insert-messages.js";
import type { MessageReceipt } from "./receipt.js";
import { requireOpenSession } from "./require-open-session.js";

/** Guard and counters in one statement: no row changes when the session is unknown or closed by compression. */
const COUNT_APPENDED = `
  UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?, tool_call_count = COALESCE(tool_call_count, 0) + ?
  WHERE id = ? AND end_reason IS NOT 'compression'`;

/** The live copy first: a compaction keeps the original beside it. */
const BY_PLATFORM_ID = `
  SELECT id, timestamp FROM messages WHERE session_id = ? AND platform_message_id = ?
  ORDER BY COALESCE(active, 1) DESC, id LIMIT 1`;

function findStored(w: Writer, sessionId: string, platformMessageId: string): MessageReceipt | undefined {
  const row = w.get<{ id: number; timestamp: unknown }>(BY_PLATFORM_ID, [sessionId, platformMessageId]);
  if (!row) return undefined;
  const timestampSeconds = typeof row.timestamp === "number" ? row.timestamp : undefined;
  return { id: row.id, sessionId, timestampSeconds, existing: true };
}

function countAppended(w: Writer, sessionId: string, fresh: readonly EncodedMessage[], now: number): void {
  let messages = 0;
  let toolCalls = 0;
  for (const message of fresh) {
    messages += message.messages;
    toolCalls += message.toolCalls;
  }
  const counted = (): boolean => w.run(COUNT_APPENDED, [messages, toolCalls, sessionId]).changes > 0;
  if (counted()) return;
  requireOpenSession(w, sessionId, now);
  counted();
}

interface Plan {
  readonly fresh: readonly EncodedMessage[];
  /** Receipts of rows that hold a platform id, by that id. */
  readonly byPlatformId: Map<string, MessageReceipt>;
}

/** Leaves out what the session holds already, and repeats within the batch. */
function planAppend(w: Writer, sessionId: string, messages: readonly EncodedMessage[]): Plan {
  const byPlatformId = new Map<string, MessageReceipt>();
  const seen = new Set<string>();
  const fresh = messages.filter(({ platformMessageId }) => {
    if (!platformMessageId) return true;
    if (seen.has(platformMessageId)) return false;
    seen.add(platformMessageId);
    const found = findStored(w, sessionId, platformMessageId);
    if (found) byPlatformId.set(platformMessageId, found);
    return !found;
  });
  return { fresh, byPlatformId };
}

/**
 * Appends encoded messages inside one write transaction: the guard, the rows and the counters succeed or fail together
 * (COR-21). Compression locks are not looked at, except to tell an orphaned session from one being rotated.
 *
 * A message whose platform id the session already holds is not stored again; its receipt names the row that is there.
 *
 * @param now - REAL seconds.
 * @param turnLeaseHolder - Who must have the turn of the conversation, if anybody must.
 * @returns One receipt per message, in order.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_TURN_LEASE_LOST`.
 */
export function appendMessages(
  w: Writer,
  sessionId: string,
  messages: readonly EncodedMessage[],
  now: number,
  turnLeaseHolder?: string,
): readonly MessageReceipt[] {
  if (turnLeaseHolder !== undefined) assertTurnLease(w, sessionId, turnLeaseHolder, now);
  const { fresh, byPlatformId } = planAppend(w, sessionId, messages);
  if (fresh.length > 0) countAppended(w, sessionId, fresh, now);
  const ids = insertMessages(w, fresh);
  const receipts = new Map<EncodedMessage, MessageReceipt>();
  fresh.forEach((message, index) => {
    const { platformMessageId, timestampSeconds } = message;
    const id = ids[index] as number;
    receipts.set(message, { id, sessionId, timestampSeconds, existing: false });
    if (platformMessageId) byPlatformId.set(platformMessageId, { id, sessionId, timestampSeconds, existing: true });
  });
  return messages.map((message) => receipts.get(message) ?? existingReceipt(byPlatformId, message));
}

function existingReceipt(byPlatformId: ReadonlyMap<string, MessageReceipt>, message: EncodedMessage): MessageReceipt {
  const receipt = byPlatformId.get(message.platformMessageId ?? "");
  if (!receipt) throw new Error("appendMessages: a message was neither stored nor found");
  return receipt;
}

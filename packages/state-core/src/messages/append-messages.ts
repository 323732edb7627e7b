import type { Writer } from "@hermes/state-schema";
import { assertTurnLease } from "../leases/assert-lease.js";
import type { AppendOptions } from "./append-options.js";
import type { EncodedMessage } from "./encode-message.js";
import { insertMessages } from "./insert-messages.js";
import type { MessageReceipt } from "./receipt.js";
import { requireOpenSession } from "./require-open-session.js";
import { identitiesOf, storedBefore } from "./stored-already.js";
import type { StoredBefore } from "./stored-already.js";

/** Guard and counters in one statement: no row changes when the session is unknown or closed by compression. */
const COUNT_APPENDED = `
  UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?, tool_call_count = COALESCE(tool_call_count, 0) + ?
  WHERE id = ? AND end_reason IS NOT 'compression'`;

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

/** What becomes of a message: the row it is stored in already, or its place among those to store. */
type Slot = { readonly stored: MessageReceipt } | { readonly fresh: number; readonly repeated: boolean };

interface Plan {
  readonly fresh: readonly EncodedMessage[];
  /** One per message, in order. */
  readonly slots: readonly Slot[];
}

/** Leaves out what is stored already, and repeats within the batch. */
function planAppend(w: Writer, sessionId: string, messages: readonly EncodedMessage[], before: StoredBefore): Plan {
  const fresh: EncodedMessage[] = [];
  const known = new Map<string, Slot>();
  const slots = messages.map((message): Slot => {
    const ids = identitiesOf(message, before).map(([column, id]) => ({ column, id, key: `${column}:${id}` }));
    const repeated = ids.map(({ key }) => known.get(key)).find((slot) => slot !== undefined);
    if (repeated) return "stored" in repeated ? repeated : { ...repeated, repeated: true };
    let stored: MessageReceipt | undefined;
    for (const { column, id } of ids) stored ??= before.find(w, sessionId, column, id);
    const slot: Slot = stored ? { stored } : { fresh: fresh.push(message) - 1, repeated: false };
    for (const { key } of ids) known.set(key, slot);
    return slot;
  });
  return { fresh, slots };
}

/**
 * Appends encoded messages inside one write transaction: the guard, the rows and the counters succeed or fail together
 * (COR-21). Compression locks are not looked at, except to tell an orphaned session from one being rotated.
 *
 * A message whose platform id the session already holds is not stored again; its receipt names the row that is there.
 *
 * @param now - REAL seconds.
 * @returns One receipt per message, in order.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_TURN_LEASE_LOST`.
 */
export function appendMessages(
  w: Writer,
  sessionId: string,
  messages: readonly EncodedMessage[],
  now: number,
  { turnLeaseHolder, once }: AppendOptions = {},
): readonly MessageReceipt[] {
  if (turnLeaseHolder !== undefined) assertTurnLease(w, sessionId, turnLeaseHolder, now);
  const { fresh, slots } = planAppend(w, sessionId, messages, storedBefore(once));
  if (fresh.length > 0) countAppended(w, sessionId, fresh, now);
  const ids = insertMessages(w, fresh);
  return slots.map((slot) => {
    if ("stored" in slot) return slot.stored;
    const { timestampSeconds } = fresh[slot.fresh] as EncodedMessage;
    return { id: ids[slot.fresh] as number, sessionId, timestampSeconds, existing: slot.repeated };
  });
}

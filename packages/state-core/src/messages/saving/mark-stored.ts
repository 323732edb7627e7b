import type { NewMessage } from "../new-message.js";
import type { MessageReceipt } from "../receipt.js";
import { markMessage } from "./markers-of.js";
import { messageDigest } from "./message-digest.js";
import { PERSISTED_MARKER, writePlace } from "./persisted-marker.js";

/** Messages that have just become rows of a session. */
export interface JustStored {
  readonly sessionId: string;
  readonly fresh: readonly { readonly message: NewMessage }[];
  /** The newest row that was there before, as far as the list goes. */
  readonly newest: number;
}

function unmarked(message: NewMessage): NewMessage {
  const entries = Object.entries(message).filter(([key]) => key !== PERSISTED_MARKER);
  return Object.fromEntries(entries) as unknown as NewMessage;
}

/**
 * Marks messages that have just been stored, on the objects themselves where they take a property (COR-23).
 *
 * @param generation - The file's own token.
 * @param receipts - One per message, in order.
 * @returns The messages, marked: the same objects, or copies of those that take no property.
 */
export function markStored(
  generation: string | undefined,
  { sessionId, fresh, newest }: JustStored,
  receipts: readonly MessageReceipt[],
): NewMessage[] {
  const seen = new Set<NewMessage>();
  let last = newest;
  return fresh.map(({ message }, index) => {
    const { id, timestampSeconds } = receipts[index] as MessageReceipt;
    const as = { rows: [id], seconds: timestampSeconds, digest: messageDigest(message), repeated: id <= last };
    last = Math.max(last, id);
    // One object twice in the list became two rows: the second needs an object of its own.
    const target = seen.has(message) ? unmarked(message) : message;
    seen.add(message);
    return markMessage(target, writePlace(generation, sessionId, as));
  });
}

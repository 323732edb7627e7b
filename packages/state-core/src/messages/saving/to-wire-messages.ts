import { PERSISTED_MARKER } from "./persisted-marker.js";

/** A message without what the store knows about it. */
export type WireMessage<T> = Omit<T, typeof PERSISTED_MARKER | "id">;

/**
 * Copies messages for sending: the marker and the row id belong to the store and never leave it (COR-23). The given
 * messages stay as they are.
 *
 * @example
 * ```ts
 * const { messages } = store.messages.conversation("s1");
 * await provider.send(toWireMessages(messages));
 * ```
 */
export function toWireMessages<T extends object>(messages: readonly T[]): WireMessage<T>[] {
  return messages.map((message) => {
    const entries = Object.entries(message).filter(([key]) => key !== PERSISTED_MARKER && key !== "id");
    return Object.fromEntries(entries) as WireMessage<T>;
  });
}

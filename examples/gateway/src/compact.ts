import { contentText } from "@hermes/state-core";
import type { NewMessage } from "@hermes/state-core";
import type { Gateway } from "./gateway.js";

/** What stands for everything before; a model would write a better one. */
function summaryOf(count: number, last: string): NewMessage {
  const content = `[Summary of ${count} messages; the last one was: ${last}]`;
  return { role: "user", content, compressedSummary: true };
}

/**
 * Goes on in a new session when the conversation of a key has become long: the model then sees a summary, and the
 * search still finds everything.
 *
 * @returns The session it goes on in, undefined when it is short or somebody else compacts it.
 */
export async function compactWhenLong(gateway: Gateway, sessionKey: string): Promise<string | undefined> {
  const { store, router, writer, settings } = gateway;
  const { sessionId, messages } = await writer.load({ sessionKey });
  if (messages.length < settings.rotateAfter) return undefined;
  const lease = store.leases.acquire("compression", sessionId);
  if (!lease) return undefined;
  try {
    const watermark = store.compaction.watermark(sessionId);
    const summary = summaryOf(messages.length, contentText(messages.at(-1)?.content));
    const next = store.compaction.rotate(sessionId, {}, { messages: [summary], watermark, holder: lease.holder });
    await router.advance(sessionKey, sessionId, next.sessionId);
    return next.sessionId;
  } finally {
    store.leases.release(lease);
  }
}

import type { TranscriptReceipt } from "@hermes/gateway-session";
import { contentText } from "@hermes/state-core";
import { compactWhenLong } from "./compact.js";
import { echo } from "./echo-agent.js";
import type { Gateway } from "./gateway.js";
import { sourceOf } from "./gateway.js";

/** What a peer said. */
export interface Inbound {
  readonly text: string;
  /** What the peer's program calls the message; the same again is the same message, delivered twice. */
  readonly id?: string;
}

/** What it gets back. Both messages are on disk when it does. */
export interface Answer {
  readonly reply: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** How its conversation was found. */
  readonly how: string;
  /** The message had come before; the reply is the one it got then. */
  readonly duplicate: boolean;
  /** The session the conversation goes on in, where this answer made it long. */
  readonly rotatedTo?: string;
}

/** The storage and the disk both refuse: the peer has to send it again. */
export class NotStored extends Error {
  override readonly name: string = "NotStored";
}

function durable(receipt: TranscriptReceipt): Exclude<TranscriptReceipt, { state: "queued" | "skipped" }> {
  if (receipt.state === "queued") throw new NotStored("Neither the store nor the disk took it. Send it again.");
  if (receipt.state === "skipped") throw new Error("a message was skipped that nobody stored");
  return receipt;
}

/** Says something in the conversation of a key. @returns The reply. */
async function reply(gateway: Gateway, sessionKey: string): Promise<string> {
  const { writer, settings } = gateway;
  const { messages } = await writer.load({ sessionKey });
  const content = await echo(messages, settings.thinkMs);
  durable(await writer.append({ sessionKey }, { role: "assistant", content }));
  return content;
}

/** The reply to a message that was delivered before: what follows it. */
async function earlierReply(gateway: Gateway, sessionKey: string, id: string): Promise<string | undefined> {
  const { messages } = await gateway.writer.load({ sessionKey }, { includeAncestors: true, includeInactive: true });
  const at = messages.findIndex(({ platformMessageId }) => platformMessageId === id);
  const next = messages[at + 1];
  return at >= 0 && next?.role === "assistant" ? contentText(next.content) : undefined;
}

/** Answers a message: finds the conversation, stores what was said, asks the agent, stores what it says. */
export async function answer(gateway: Gateway, peer: string, { text, id }: Inbound): Promise<Answer> {
  const { router, writer } = gateway;
  const source = sourceOf(peer, id);
  const { sessionKey, sessionId, how } = await router.resolve(source);
  const token = await router.beginTurn(sessionKey);
  let ok = false;
  try {
    const stored = durable(await writer.append({ sessionKey }, { role: "user", content: text }, { source }));
    const duplicate = stored.state === "stored" && stored.existing;
    const before = duplicate && id !== undefined ? await earlierReply(gateway, sessionKey, id) : undefined;
    const said = before ?? (await reply(gateway, sessionKey));
    const rotatedTo = await compactWhenLong(gateway, sessionKey);
    ok = true;
    return { reply: said, sessionKey, sessionId, how, duplicate, ...(rotatedTo !== undefined && { rotatedTo }) };
  } finally {
    if (token !== undefined) await router.endTurn(sessionKey, token, { ok });
  }
}

/** Takes up the turns that the last run was killed in: who said something and got no answer gets it now. */
export async function answerInterrupted(gateway: Gateway): Promise<void> {
  const { restart, router, writer } = gateway;
  for (const sessionKey of restart.resumable) {
    const { messages } = await writer.load({ sessionKey });
    if (messages.at(-1)?.role === "user") await reply(gateway, sessionKey);
    await router.clearResumePending(sessionKey);
  }
}

import type { Inbound } from "./answer.js";

/** Longest text, in UTF-16 code units. */
const MAX_TEXT = 8_000;
const MAX_ID = 200;

/** What a peer sent is no message. */
export class BadMessage extends Error {
  override readonly name: string = "BadMessage";
}

/** Reads `{"text": ..., "id": ...}`. @throws BadMessage. */
export function readInbound(json: string): Inbound {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new BadMessage("The message is no JSON.");
  }
  const { text, id } = (value ?? {}) as { text?: unknown; id?: unknown };
  if (typeof text !== "string" || text === "" || text.length > MAX_TEXT) {
    throw new BadMessage(`"text" must be a string of 1 to ${MAX_TEXT} characters.`);
  }
  if (id === undefined) return { text };
  if (typeof id !== "string" || id === "" || id.length > MAX_ID) {
    throw new BadMessage(`"id" must be a string of 1 to ${MAX_ID} characters.`);
  }
  return { text, id };
}

import type { Reader } from "@hermes/state-schema";
import { readSession, storeShape } from "../rows/read-session.js";
import { digestOfStored } from "./session-digest.js";
import type { SessionDigest } from "./session-digest.js";

/** A session that is not what a file says. */
export interface Difference {
  readonly id: string;
  readonly exported: number;
  readonly stored: number;
}

/**
 * Compares every cell of every row with what a file says.
 *
 * @param onSession - Called after each session that is the same, with the messages compared so far.
 * @returns The first session that differs, or is not there any more.
 */
export function differingSession(
  r: Reader,
  exported: ReadonlyMap<string, SessionDigest>,
  onSession: (messages: number) => void = () => undefined,
): Difference | undefined {
  const shape = storeShape(r);
  let compared = 0;
  for (const [id, { messages, sha256 }] of exported) {
    const document = readSession(r, shape, id);
    const now = document && digestOfStored(document);
    if (now?.sha256 !== sha256) return { id, exported: messages, stored: now?.messages ?? 0 };
    onSession((compared += messages));
  }
  return undefined;
}

import type { Reader } from "@hermes/state-schema";
import { decodeSession, SELECT_SESSION } from "./session-decoder.js";
import type { Session } from "./session-row.js";

/** A session with its prompt, or undefined. */
export function readSession(r: Reader, sessionId: string): Session | undefined {
  const [cells] = r.tuples(SELECT_SESSION, [sessionId]);
  return cells && decodeSession(cells);
}

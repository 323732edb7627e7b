import type { Reader } from "@hermes/state-schema";

const SELECT_END = "SELECT ended_at AS endedAt, end_reason AS reason FROM sessions WHERE id = ?";

/** When and why a session ended. */
export interface SessionEnd {
  /** Null while it is open. */
  readonly endedAt: unknown;
  readonly reason: string | null;
}

/** The end of a session, open or not; undefined where there is no such session. */
export function sessionEnd(r: Reader, sessionId: string): SessionEnd | undefined {
  return r.get<SessionEnd>(SELECT_END, [sessionId]);
}

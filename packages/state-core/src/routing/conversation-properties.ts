import type { Reader, Writer } from "@hermes/state-schema";
import { setFlag } from "../sessions/flags/set-flag.js";
import type { SessionFlag } from "../sessions/flags/set-flag.js";
import { assignTitle } from "../titles/assign-title.js";

/** What a user may say of a conversation, all at once. */
export interface ConversationProperties {
  /** Null and an empty one clear. */
  readonly title?: string | null;
  /** Set in the order of the keys: pinning shows what was hidden. */
  readonly flags?: Partial<Readonly<Record<SessionFlag, boolean>>>;
}

const EXISTS = "SELECT 1 AS here FROM sessions WHERE id = ?";

/** Whether there is such a session. */
export function sessionExists(r: Reader, sessionId: string): boolean {
  return r.get(EXISTS, [sessionId]) !== undefined;
}

/**
 * Sets a title, on the session, and flags, on its whole conversation.
 *
 * @param title - Sanitised; undefined leaves it.
 * @returns Whether there is such a session.
 * @throws StateError `STATE_E_TITLE_TAKEN`.
 */
export function setProperties(
  w: Writer,
  sessionId: string,
  title: string | null | undefined,
  flags: readonly (readonly [SessionFlag, boolean])[],
): boolean {
  if (!sessionExists(w, sessionId)) return false;
  if (title !== undefined) assignTitle(w, sessionId, title, "user");
  for (const [flag, value] of flags) setFlag(w, sessionId, flag, value);
  return true;
}

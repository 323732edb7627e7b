import { StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";

/**
 * Finds the session that an id, a unique prefix of one, or a title names.
 *
 * @throws STATE_E_SESSION_NOT_FOUND, and STATE_E_SESSION_AMBIGUOUS with the candidates.
 */
export function resolveSession(store: StateStore, text: string): string {
  const found = store.sessions.resolve(text);
  if (found.kind === "session") return found.sessionId;
  if (found.kind === "none") throw sessionNotFound(text);
  throw new StateError(
    "STATE_E_SESSION_AMBIGUOUS",
    `${JSON.stringify(text)} begins several session ids: ${found.candidates.join(", ")}. Give more of the id.`,
    { text, candidates: found.candidates },
  );
}

/** No session is named so. */
export function sessionNotFound(text: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `No session has the id, id prefix or title ${JSON.stringify(text)}. List them: hermes-state sessions list --all`,
    { text },
  );
}

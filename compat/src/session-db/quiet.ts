import { isStateError } from "@hermes/state-core";

/**
 * Runs a change that the old store did not make for an unknown session, without an error.
 *
 * @returns Whether there was such a session.
 */
export function ifSessionExists(change: () => unknown): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) return false;
    throw error;
  }
}

import { isStateError } from "@hermes/state-core";

/** What is known of a session, or what the old store told of one that is not there. */
export function ofSession<T>(read: () => T, unknown: T): T {
  try {
    return read();
  } catch (error) {
    if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) return unknown;
    throw error;
  }
}

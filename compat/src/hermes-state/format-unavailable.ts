import { getLastInitError } from "./last-init-error.js";

/**
 * What to show people when there is no store.
 *
 * @param prefix - What could not be done. Default: "The session store is not available".
 */
export function formatSessionDbUnavailable(prefix = "The session store is not available"): string {
  const reason = getLastInitError();
  return reason === null ? `${prefix}.` : `${prefix}: ${reason}`;
}

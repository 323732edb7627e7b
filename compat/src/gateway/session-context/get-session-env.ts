import { sessionVariable } from "../../config/session-variable.js";
import { currentFlow } from "./session-variables.js";

/**
 * A variable of the session that this work belongs to (CPT-03); where nobody said whose it is, that of the process.
 *
 * @param name - `HERMES_SESSION_ID`, `HERMES_SESSION_PLATFORM`, ...
 */
export function getSessionEnv(name: string, fallback = ""): string {
  return currentFlow()?.variables.get(name) ?? sessionVariable(name) ?? fallback;
}

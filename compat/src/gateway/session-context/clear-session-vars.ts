import type { SessionVarTokens } from "./set-session-vars.js";
import { enterFlow, VARIABLE_OF } from "./session-variables.js";

const EMPTY: ReadonlyMap<string, string> = new Map(Object.values(VARIABLE_OF).map((variable) => [variable, ""]));

/**
 * The work of a session is over (CPT-03): its variables are empty from here on. What the environment of the process
 * says does not come back, as it may be another session's.
 *
 * @param _tokens - What `setSessionVars` returned; taken and not needed.
 */
export function clearSessionVars(_tokens?: SessionVarTokens): void {
  enterFlow({ variables: EMPTY, asyncDelivery: undefined });
}

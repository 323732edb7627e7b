import { enterFlow } from "./session-variables.js";

/** Nothing is said here any more about a session: the environment of the process counts again (CPT-03). */
export function resetSessionVars(): void {
  enterFlow(undefined);
}

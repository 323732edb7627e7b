import { everEngaged } from "./session-variables.js";

/** Whether any work of this process ever said whose session it belongs to (CPT-03). */
export function sessionContextEngaged(): boolean {
  return everEngaged();
}

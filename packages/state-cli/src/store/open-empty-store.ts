import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { privateFolder } from "./private-folder.js";

/**
 * A store without a session in a private temporary folder, for a verb that answers about a home where nothing has been
 * stored; it is gone when the process ends.
 */
export function openEmptyStore(): StateStore {
  return openStateStore({ path: join(privateFolder("empty"), "state.db") });
}

import { openParts } from "./open-parts.js";
import { resolveOptions } from "./open-options.js";
import type { OpenOptions } from "./open-options.js";
import { StateStore } from "./state-store.js";

/**
 * Opens the store at a path, creating it when there is none (mode `write`), or reads an existing one (mode `read`).
 *
 * @example
 * ```ts
 * using store = openStateStore({ path: "state.db" });
 * const session = store.sessions.create({ id: "s1", source: "cli" });
 * store.messages.append(session.id, { role: "user", content: "why is the deploy flaky?" });
 * ```
 * @throws TypeError for unknown options. STATE_E_TEST_ISOLATION, STATE_E_NOT_A_FILE, STATE_E_NOT_A_DATABASE,
 * STATE_E_CORRUPT, STATE_E_NOT_ACCESSIBLE, STATE_E_STORE_MISSING, STATE_E_BUSY, STATE_E_DRIVER_UNAVAILABLE; whatever
 * the error, everything that was opened is closed again (COR-03).
 */
export function openStateStore(options: OpenOptions = {}): StateStore {
  const { facts, resources } = openParts(resolveOptions(options));
  return new StateStore(facts, resources);
}

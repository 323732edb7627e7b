import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";

/**
 * A store without a session in a private temporary folder, for a verb that answers about a home where nothing has been
 * stored; it is gone when the process ends.
 */
export function openEmptyStore(): StateStore {
  const folder = mkdtempSync(join(tmpdir(), "hermes-empty-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return openStateStore({ path: join(folder, "state.db") });
}

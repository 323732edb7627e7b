import { openOfflineScope } from "@hermes/state-core";
import { bundleDigest } from "../evidence/bundle-digest.js";
import { presentParts } from "../evidence/file-parts.js";

/**
 * Which bytes a database and its sidecars hold now, so that a plan is applied to what it was made for and nothing else.
 * Shared memory is left out: it is made anew with every first open.
 *
 * @throws STATE_E_LIVE_CONNECTION when this process has the database open.
 */
export async function stateOf(path: string): Promise<string> {
  using scope = openOfflineScope(path);
  const parts = presentParts(scope.path).filter(({ suffix, bytes }) => suffix !== "-shm" && bytes > 0);
  return await bundleDigest(parts, () => Promise.resolve());
}

import { openStateStore } from "@hermes/state-core";
import type { StoreLocation } from "./locate-store.js";

/**
 * For a verb that has found no file: on a home that is an empty answer, but a file that was named is not known.
 *
 * @throws STATE_E_STORE_MISSING when `--db` names the file.
 */
export function refuseMissing({ path, named }: StoreLocation): void {
  if (named) openStateStore({ path, mode: "read" }).close();
}

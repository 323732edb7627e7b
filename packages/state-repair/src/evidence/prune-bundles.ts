import { SIDECAR_SUFFIXES } from "@hermes/state-core";
import { listBundles } from "./bundle-names.js";
import { removeFile } from "./remove-file.js";

const KEPT = 3;

/**
 * Keeps the three newest bundles by name, each with its sidecars, and always the one just taken, also when the clock
 * went back and its name sorts last (REP-02). What cannot be removed stays until the next time.
 *
 * @param path - Canonical path of the database.
 * @param taken - Main file of the bundle that was just published.
 */
export function pruneBundles(path: string, taken: string): void {
  const others = listBundles(path).filter((bundle) => bundle.path !== taken);
  for (const { path: bundle } of others.slice(KEPT - 1)) {
    // The main file goes last: what is left of a stopped removal still counts, and is removed by the next one.
    for (const suffix of [...SIDECAR_SUFFIXES, ""]) removeFile(bundle + suffix);
  }
}

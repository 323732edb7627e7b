import { lstatSync } from "node:fs";
import { REPAIR_NAME, SIDECAR_SUFFIXES } from "@hermes/state-core";
import { namesAfter } from "./bundle-names.js";
import { removeFile } from "./remove-file.js";

/** How an older writer spelled an unfinished copy. */
const INCOMPLETE = ".incomplete";

const isSidecar = (name: string): boolean => SIDECAR_SUFFIXES.some((suffix) => name.endsWith(suffix));

/**
 * A staged main file whose bundle has no main file yet: what was published of it is no bundle. The staged main file
 * goes last, since it is what tells.
 */
function stagingFiles(path: string): string[] {
  const labels = namesAfter(path, REPAIR_NAME.staging);
  const mains = labels.filter((label) => !isSidecar(label));
  const published = mains
    .map((label) => path + REPAIR_NAME.bundle + label)
    .filter((bundle) => lstatSync(bundle, { throwIfNoEntry: false }) === undefined)
    .flatMap((bundle) => SIDECAR_SUFFIXES.map((suffix) => bundle + suffix))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
  const staged = [...labels.filter(isSidecar), ...mains].map((label) => path + REPAIR_NAME.staging + label);
  return [...published, ...staged];
}

function incompleteFiles(path: string): string[] {
  return namesAfter(path, REPAIR_NAME.bundle)
    .filter((label) => label.includes(INCOMPLETE))
    .map((label) => path + REPAIR_NAME.bundle + label);
}

/**
 * Removes what an interrupted backup left behind: staged files, what was published of a bundle without its main file,
 * and the unfinished copies of older writers. Only under the repair lock, else it takes the staging of a running
 * backup (REP-02).
 *
 * @param path - Canonical path of the database.
 * @returns How many files are gone.
 */
export function sweepDebris(path: string): number {
  return [...stagingFiles(path), ...incompleteFiles(path)].filter((file) => removeFile(file)).length;
}

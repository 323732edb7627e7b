import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { REPAIR_NAME, SIDECAR_SUFFIXES } from "@hermes/state-core";

/** Local time with an optional number: what follows the prefix of a bundle's main file, and nothing else does. */
const LABEL = /^(\d{8}_\d{6})(?:_(\d+))?$/;

const ALL_SUFFIXES = ["", ...SIDECAR_SUFFIXES];

/** A forensic bundle on disk, known by its main file. */
export interface ListedBundle {
  readonly path: string;
  readonly label: string;
}

/** Names in the folder of `path` that begin as its base name with `infix` does; the rest of each name is returned. */
export function namesAfter(path: string, infix: string): string[] {
  const prefix = basename(path) + infix;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}

function order(a: string, b: string): number {
  const [, stampA = "", numberA = "0"] = LABEL.exec(a) ?? [];
  const [, stampB = "", numberB = "0"] = LABEL.exec(b) ?? [];
  if (stampA !== stampB) return stampA < stampB ? 1 : -1;
  return Number(numberB) - Number(numberA);
}

/**
 * Every bundle of a database, newest name first. Staged, unfinished and foreign names are none (REP-02).
 *
 * @param path - Canonical path of the database.
 */
export function listBundles(path: string): ListedBundle[] {
  return namesAfter(path, REPAIR_NAME.bundle)
    .filter((label) => LABEL.test(label))
    .sort(order)
    .map((label) => ({ label, path: path + REPAIR_NAME.bundle + label }))
    .filter((bundle) => lstatSync(bundle.path, { throwIfNoEntry: false })?.isFile());
}

function isTaken(base: string): boolean {
  // A dangling link is a name too.
  return ALL_SUFFIXES.some((suffix) => lstatSync(base + suffix, { throwIfNoEntry: false }) !== undefined);
}

/**
 * A label for a new bundle: the stamp itself, or with the first number under which no file of a bundle, and none of
 * its staging, stands.
 *
 * @param stamp - `YYYYMMDD_HHMMSS`.
 */
export function freeLabel(path: string, stamp: string): string {
  for (let number = 0; ; number++) {
    const label = number === 0 ? stamp : `${stamp}_${String(number)}`;
    if (!isTaken(path + REPAIR_NAME.bundle + label) && !isTaken(path + REPAIR_NAME.staging + label)) return label;
  }
}

/** Suffixes of the sidecars that stand beside a bundle's main file. */
export function sidecarsOf(bundle: string): string[] {
  return SIDECAR_SUFFIXES.filter((suffix) => existsSync(bundle + suffix));
}

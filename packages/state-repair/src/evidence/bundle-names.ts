import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { REPAIR_NAME, SIDECAR_SUFFIXES } from "@hermes/state-core";

/** Local time with an optional number: what follows the prefix of a bundle's main file, and nothing else does. */
const LABEL = /^(\d{8}_\d{6})(?:_(\d{1,9}))?$/;

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

/**
 * A label for a new bundle: the stamp, or with a number that is one more than any that stands with this stamp, in
 * bundles, their sidecars and their staging. Never a lower one that became free: a name tells which bundle is newer.
 *
 * @param stamp - `YYYYMMDD_HHMMSS`.
 */
export function freeLabel(path: string, stamp: string): string {
  const used = [REPAIR_NAME.bundle, REPAIR_NAME.staging]
    .flatMap((infix) => namesAfter(path, infix))
    .filter((label) => label.startsWith(stamp))
    .map((label) => Number(/^_(\d{1,9})(?!\d)/.exec(label.slice(stamp.length))?.[1] ?? 0));
  return used.length === 0 ? stamp : `${stamp}_${String(Math.max(...used) + 1)}`;
}

/** Suffixes of the sidecars that stand beside a bundle's main file. */
export function sidecarsOf(bundle: string): string[] {
  return SIDECAR_SUFFIXES.filter((suffix) => existsSync(bundle + suffix));
}

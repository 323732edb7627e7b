import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { canonicalPath, SIDECAR_SUFFIXES } from "@hermes/state-core";

const READ_WRITE = 0o600;
const FOLDER = 0o700;
const OTHERS = 0o077;

/** A file or folder of a store whose mode keeps its owner from using it. */
export interface AccessProblem {
  readonly path: string;
  /** The bits that are missing. */
  readonly missing: number;
  /** The command that gives them. */
  readonly command: string;
}

/**
 * Looks whether the store, its sidecars and its folder can be read and written (4.10). A mode without the owner's bits
 * counts as a problem, also for a user whom nothing stops: other programs will stumble over it.
 */
export function accessProblems(path: string): AccessProblem[] {
  const real = canonicalPath(path);
  const files = [real, ...SIDECAR_SUFFIXES.map((suffix) => real + suffix)];
  return [
    ...problemOf(dirname(real), FOLDER, constants.R_OK | constants.W_OK | constants.X_OK, "u+rwx"),
    ...files.flatMap((file) => problemOf(file, READ_WRITE, constants.R_OK | constants.W_OK, "u+rw")),
  ];
}

function problemOf(path: string, wanted: number, access: number, change: string): AccessProblem[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const missing = wanted & ~stat.mode;
  if (missing === 0 && isAccessible(path, access)) return [];
  return [{ path, missing, command: `chmod ${change} ${JSON.stringify(path)}` }];
}

function isAccessible(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return true;
  } catch {
    // Whatever the reason, it is told by the problem.
    return false;
  }
}

/** Files of a store that other users may read or write (COR-13). */
export function openModes(path: string): string[] {
  if (process.platform === "win32") return [];
  return ["", ...SIDECAR_SUFFIXES].flatMap((suffix) => {
    const stat = lstatSync(path + suffix, { throwIfNoEntry: false });
    return stat?.isFile() === true && (stat.mode & OTHERS) !== 0 ? [path + suffix] : [];
  });
}

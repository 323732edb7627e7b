import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Mode of everything that holds conversations (COR-13). */
export const PRIVATE_MODE = 0o600;

const FOLDER_MODE = 0o700;

/**
 * Makes a folder for its owner only, and those above it. The runtime's own way never ends where a file system says that
 * there is no such folder while the one above is there.
 */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path)) || dirname(path) === path) throw error;
    makePrivateFolder(dirname(path));
    mkdirSync(path, { mode: FOLDER_MODE });
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  // Windows has no descriptor of a folder; its file system orders renames itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file for its owner only; it is on disk when this returns. */
export function writePrivateFile(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const descriptor = openSync(path, "wx", PRIVATE_MODE);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes files that may be gone already. */
export function removeFiles(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

/** Mode of everything that holds conversations (COR-13). */
export const PRIVATE_MODE = 0o600;

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

/**
 * Writes a new file for its owner only; its bytes are on disk when this returns, its name once the folder is synced.
 *
 * @throws EEXIST when there is a file of that name, and whatever else the file system says.
 */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const descriptor = openSync(path, "wx", PRIVATE_MODE);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

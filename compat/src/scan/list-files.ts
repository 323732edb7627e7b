import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCode } from "../analyser/parse-source.js";

/** Folders of a plugin that are not the plugin: what it installs, and its tests. */
const SKIPPED = new Set(["__pycache__", "node_modules", "tests", "test", "venv"]);

/**
 * The code files below a folder, in the order of their names; a file is itself.
 *
 * Links to folders are not followed: what lies elsewhere is somebody else's, or is met on its own way.
 *
 * @param path - Absolute.
 * @throws What the file system says when a folder cannot be read: nothing is left out in silence.
 */
export function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const full = join(path, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") || SKIPPED.has(entry.name) ? [] : listFiles(full);
    const isFile = entry.isFile() || (entry.isSymbolicLink() && statSync(full, { throwIfNoEntry: false })?.isFile());
    return isFile && isCode(entry.name) ? [full] : [];
  });
}

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

const SKIPPED = new Set(["node_modules", "dist", "coverage", ".git", ".turbo"]);

/**
 * Every file of a tree that belongs to the project: no dependencies, no build output.
 *
 * @param {string} root
 * @returns {string[]} Paths relative to `root`.
 */
export function treeFiles(root) {
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (SKIPPED.has(entry.name)) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() ? [relative(root, path)] : [];
    });
  return walk(root).sort();
}

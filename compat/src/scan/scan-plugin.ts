import { readFileSync, statSync } from "node:fs";
import { basename, relative, resolve, sep } from "node:path";
import { NameBook, PACKAGE } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { findHits } from "../analyser/find-hits.js";
import { parseSource } from "../analyser/parse-source.js";
import { IndexedTree } from "../analyser/source-tree.js";
import { listFiles } from "./list-files.js";
import { loadNames } from "./load-names.js";
import { pluginHit, sortHits } from "./plugin-hit.js";
import type { PluginHit } from "./plugin-hit.js";

/** A file may name no entry point at all: then it is not parsed. */
export function mayUse(text: string, records: readonly CompatName[]): boolean {
  return text.includes(PACKAGE) || records.some(({ entry, name }) => text.includes(`${entry}.${name}`));
}

/**
 * Finds what a plugin uses of the names that do not stay. Nothing of the plugin is run; a file that is no program is
 * left out, since it could not be loaded either (CPT-06).
 *
 * @param path - A folder or one file.
 * @returns Sorted by file and line.
 * @throws StateError never; the file system's error when the path is not there or cannot be read.
 */
export function scanPlugin(path: string, records: readonly CompatName[] = loadNames()): PluginHit[] {
  const root = resolve(path);
  const book = new NameBook(records);
  const isFile = !statSync(root).isDirectory();
  const hits = listFiles(root).flatMap((file) => {
    // Bytes that are no text become U+FFFD, which is in no name.
    const text = readFileSync(file, "utf8");
    const tree = mayUse(text, records) ? parseSource(file, text) : undefined;
    if (!tree) return [];
    const name = isFile ? basename(file) : relative(root, file).split(sep).join("/");
    return findHits(new IndexedTree(tree), book).map((hit) => pluginHit(name, hit));
  });
  return sortHits(hits);
}

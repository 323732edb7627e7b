import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { NameBook } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { rewriteSource } from "../analyser/rewrite-source.js";
import { fixDependencies } from "./fix-dependencies.js";
import { listFiles } from "./list-files.js";
import { loadNames } from "./load-names.js";
import { replaceFile } from "./replace-file.js";
import { mayUse } from "./scan-plugin.js";

/**
 * A file with its text afterwards; it is replaced where the two differ. Bytes that are no text would be lost by a
 * rewrite: such a file is left to a person.
 */
function fixFile(file: string, book: NameBook, records: readonly CompatName[]): { text: string; changed: boolean } {
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (!mayUse(text, records) || !isUtf8(bytes)) return { text, changed: false };
  const next = rewriteSource(file, text, book);
  if (next !== text) replaceFile(file, next);
  return { text: next, changed: next !== text };
}

/**
 * Rewrites a plugin in place so that names which a focused package has come from there, and has its package.json
 * declare those packages. It may be run again: nothing changes the second time, and a run that was killed is finished
 * by the next one (CPT-06).
 *
 * @param path - A folder, or one file: then no package.json is touched.
 * @returns The files that were changed, absolute.
 */
export function fixPlugin(path: string, records: readonly CompatName[] = loadNames()): string[] {
  const root = resolve(path);
  const book = new NameBook(records);
  const fixed = new Map(listFiles(root).map((file) => [file, fixFile(file, book, records)]));
  const changed = [...fixed].flatMap(([file, result]) => (result.changed ? [file] : []));
  if (!statSync(root).isDirectory()) return changed;
  const texts = new Map([...fixed].map(([file, { text }]) => [file, text]));
  return [...changed, ...fixDependencies(texts, root, records)];
}

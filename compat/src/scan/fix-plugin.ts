import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { NameBook } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { rewriteSource } from "../analyser/rewrite-source.js";
import { listFiles } from "./list-files.js";
import { loadNames } from "./load-names.js";
import { mayUse, readText } from "./scan-plugin.js";

/** A file is replaced whole, with its mode: killed here, the old one is still there. */
function replaceFile(file: string, text: string): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { flag: "wx" });
    chmodSync(next, statSync(file).mode & 0o777);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Bytes that are no text would be lost by a rewrite: such a file is left to a person. */
function isText(file: string, text: string): boolean {
  return !text.includes("\uFFFD") && Buffer.byteLength(text) === statSync(file).size;
}

/**
 * Rewrites a plugin in place so that names which a focused package has come from there. It may be run again: nothing
 * changes the second time (CPT-06).
 *
 * @returns The files that were changed, absolute.
 */
export function fixPlugin(path: string, records: readonly CompatName[] = loadNames()): string[] {
  const book = new NameBook(records);
  return listFiles(resolve(path)).filter((file) => {
    const text = readText(file);
    if (!mayUse(text, records) || !isText(file, text)) return false;
    const next = rewriteSource(file, text, book);
    if (next === text) return false;
    replaceFile(file, next);
    return true;
  });
}

import { readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { StateError } from "@hermes/state-core";

const DEEPEST = 16;
/** OpenClaw keeps the talk before a reset beside the new one; what it calls deleted stays out. */
const TRANSCRIPT = /\.jsonl?$|\.jsonl\.reset\.[^/]+$/i;
/** What programs keep beside their transcripts. */
const COMPANION = /(?:\.meta\.json|^sessions\.json|^manifest\.jsonl)$/i;

/**
 * The transcripts of a folder and of the folders in it, in the order of their names; links are not followed.
 *
 * @throws STATE_E_IMPORT_MISSING when there is none; an error of the file system when a folder cannot be read.
 */
export function sourceFiles(folder: string): readonly string[] {
  const files: string[] = [];
  walk(folder, 0, files);
  if (files.length > 0) return files;
  const message = `The folder ${folder} holds no transcript (.json, .jsonl). Check the path.`;
  throw new StateError("STATE_E_IMPORT_MISSING", message, { path: folder });
}

function walk(folder: string, depth: number, files: string[]): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  // Files first: what a file in a sub-folder hangs on usually stands above it.
  files.push(...entries.filter(isTranscript).map(({ name }) => join(folder, name)));
  if (depth >= DEEPEST) return;
  for (const entry of entries) if (entry.isDirectory()) walk(join(folder, entry.name), depth + 1, files);
}

function isTranscript(entry: Dirent): boolean {
  return entry.isFile() && TRANSCRIPT.test(entry.name) && !COMPANION.test(entry.name);
}

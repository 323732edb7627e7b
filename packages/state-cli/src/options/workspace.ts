import { homedir } from "node:os";
import { resolve } from "node:path";
import type { SessionSelection } from "./selection.js";

/**
 * Reads `--workspace`. Text with a separator, `.` or `~` is a folder and stands for everything below it too; a bare
 * word is looked for in the folders that sessions ran in, whatever its case.
 */
export function workspaceOf(text: string): SessionSelection {
  const folder = text.replace(/^~(?=$|[/\\])/, homedir());
  if (/[/\\]/.test(folder) || folder === "." || folder === "..") {
    return { filter: { cwdPrefix: resolve(folder) }, matches: undefined };
  }
  const needle = text.toLowerCase();
  const has = (path: string | null | undefined): boolean => path?.toLowerCase().includes(needle) === true;
  return { filter: {}, matches: ({ cwd, gitRepoRoot }) => has(cwd) || has(gitRepoRoot) };
}

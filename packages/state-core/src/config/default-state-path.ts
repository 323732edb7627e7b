import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { environmentVariable } from "./environment.js";

function expandTilde(folder: string): string {
  if (folder === "~") return homedir();
  return folder.startsWith("~/") || folder.startsWith("~\\") ? join(homedir(), folder.slice(2)) : folder;
}

/**
 * The folder that holds the store: the given one, else `HERMES_HOME`, else `~/.hermes`. Evaluated now, never at import.
 *
 * @param home - An explicit home; `~`, relative and trailing-slash spellings are accepted.
 * @returns An absolute path. Source of the rule: COR-12.
 */
export function stateHome(home?: string): string {
  const chosen = home ?? environmentVariable("HERMES_HOME");
  return resolve(chosen === undefined || chosen === "" ? join(homedir(), ".hermes") : expandTilde(chosen));
}

/**
 * Where the store is when no path is given: `state.db` in {@link stateHome}.
 *
 * @returns An absolute path. Source of the rule: COR-12.
 */
export function defaultStatePath(home?: string): string {
  return join(stateHome(home), "state.db");
}

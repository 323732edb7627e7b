import { basename, dirname } from "node:path";
import { defaultStatePath } from "../config/default-state-path.js";

const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * The profile a store belongs to, by where it lies: the folder under `profiles/`, `default` for the store of the
 * home, none elsewhere.
 *
 * @param path - Real path of the main file.
 */
export function profileOfPath(path: string): string | null {
  const folder = dirname(path);
  const name = basename(folder);
  if (basename(dirname(folder)) === "profiles") return PROFILE_NAME.test(name) ? name : null;
  return path === defaultStatePath() ? "default" : null;
}

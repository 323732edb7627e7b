import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repoRoot } from "../config/repo-root.js";

/**
 * URL of a workspace package's built entry, for a child process to import.
 *
 * @param name - Folder under `packages/`.
 * @throws Error when the package is not built.
 */
export function builtPackage(name: string): string {
  const entry = join(repoRoot(), "packages", name, "dist", "index.js");
  if (!existsSync(entry)) throw new Error(`packages/${name} is not built and a child needs it; run: turbo run build`);
  return pathToFileURL(entry).href;
}

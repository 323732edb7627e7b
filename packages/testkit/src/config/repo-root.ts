import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the workspace this package runs in.
 *
 * @throws Error when no `pnpm-workspace.yaml` lies above this file.
 */
export function repoRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "pnpm-workspace.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("no pnpm-workspace.yaml above the testkit; run the tests in the workspace");
    folder = parent;
  }
  return folder;
}

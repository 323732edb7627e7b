import { cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of this repository. */
export const repositoryRoot: string = fileURLToPath(new URL("../..", import.meta.url));

const TSCONFIG = { extends: "../../tsconfig.base.json", compilerOptions: { types: [] }, include: ["**/*.ts"] };

/**
 * Writes a workspace outside the repository, under the repository's own configuration, so that a guard can be seen to
 * fail without touching the tree it guards.
 *
 * @param files - Text by path relative to the new tree.
 * @returns The path of the tree; the caller removes it.
 */
export function plantTree(files: Readonly<Record<string, string>>): string {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), "planted-")));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  };
  for (const name of [".dependency-cruiser.cjs", "tsconfig.base.json"]) {
    cpSync(join(repositoryRoot, name), join(tree, name));
  }
  write("package.json", JSON.stringify({ name: "planted", private: true, type: "module" }));
  for (const [name, text] of Object.entries(files)) {
    const owner = /^packages\/[^/]+\//.exec(name)?.[0];
    if (owner !== undefined) {
      write(`${owner}package.json`, JSON.stringify({ name: "planted-package", type: "module" }));
      write(`${owner}tsconfig.json`, JSON.stringify(TSCONFIG));
    }
    write(name, text);
  }
  return tree;
}

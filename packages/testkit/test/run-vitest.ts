import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnNode } from "../src/index.js";
import type { ChildExit } from "../src/index.js";

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** Runs one test file of this package in a vitest of its own. */
export async function runVitest(file: string, env: Readonly<Record<string, string>>): Promise<ChildExit> {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  await using child = spawnNode(VITEST, ["run", `test/${file}`], { cwd, env: { ...env, CI: "1", NO_COLOR: "1" } });
  return await child.exit;
}

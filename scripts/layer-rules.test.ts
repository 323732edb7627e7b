import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

const EXPORT = "export const value = 1;\n";

describe("the layer rules", () => {
  const sound = {
    "packages/state-schema/src/index.ts": EXPORT,
    "packages/state-core/src/index.ts": 'export { value } from "@hermes/state-schema";\n',
    "packages/state-core/src/a.ts": EXPORT,
    "packages/state-core/src/a.test.ts": 'import "@hermes/testkit";\nimport "./a.js";\n',
    "packages/state-search/src/index.ts": 'export { value } from "@hermes/state-core";\n',
    "packages/testkit/src/index.ts": 'export { value } from "@hermes/state-schema";\n',
    "examples/one/src/main.ts": 'export { value } from "@hermes/state-core";\n',
  };
  const planted: readonly (readonly [rule: string, file: string, text: string])[] = [
    ["arrows-of-state-schema", "packages/state-schema/src/up.ts", 'export { value } from "@hermes/state-core";\n'],
    ["arrows-of-state-core", "packages/state-core/src/up.ts", 'export { value } from "@hermes/state-search";\n'],
    ["arrows-of-state-core", "packages/state-core/src/type.ts", 'export type { V } from "@hermes/state-search";\n'],
    ["arrows-of-testkit", "packages/testkit/src/up.ts", 'export { value } from "@hermes/state-core";\n'],
    ["every-package-has-arrows", "packages/state-new/src/a.ts", 'export { value } from "@hermes/state-core";\n'],
    ["testkit-is-for-tests", "packages/state-core/src/kit.ts", 'export { value } from "@hermes/testkit";\n'],
    [
      "no-internal-across-packages",
      "packages/state-search/src/deep.ts",
      'export { value } from "../../state-core/src/internal/b.js";\n',
    ],
    [
      "packages-meet-at-the-index",
      "packages/state-search/src/beside.ts",
      'export { value } from "../../state-core/src/a.js";\n',
    ],
    ["tests-are-not-imported", "packages/state-core/src/takes-test.ts", 'import "./a.test.js";\n'],
    ["driver-in-one-place", "packages/state-core/src/sqlite.ts", 'import "better-sqlite3";\n'],
    ["koffi-in-one-place", "packages/state-core/src/foreign.ts", 'import "koffi";\n'],
    ["nothing-uses-compat", "packages/state-core/src/old.ts", 'import "../../../compat/index.js";\n'],
    ["examples-use-what-is-public", "examples/one/src/deep.ts", 'import "../../../packages/state-core/src/a.js";\n'],
    ["testkit-is-for-tests", "examples/one/src/kit.ts", 'import "@hermes/testkit";\n'],
    ["nothing-uses-an-example", "packages/state-core/src/shown.ts", 'import "../../../examples/one/src/main.js";\n'],
    ["no-circular", "packages/state-core/src/ring-a.ts", 'export { b } from "./ring-b.js";\nexport const a = 1;\n'],
    ["no-unresolvable", "packages/state-core/src/lost.ts", 'import "./nowhere.js";\n'],
  ];
  const extras = {
    "packages/state-core/src/internal/b.ts": EXPORT,
    "packages/state-core/src/ring-b.ts": 'export { a } from "./ring-a.js";\nexport const b = 1;\n',
    "compat/index.ts": EXPORT,
  };

  const cruise = (tree: string): { status: number | null; report: string } => {
    const bin = join(repositoryRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [bin, "packages", "examples", "--config", ".dependency-cruiser.cjs", "--output-type", "err"];
    const run = spawnSync(process.execPath, args, { cwd: tree, encoding: "utf8", timeout: 60_000 });
    return { status: run.status, report: run.stdout };
  };

  const trees: string[] = [];
  let red: ReturnType<typeof cruise>;
  beforeAll(() => {
    const wrong = Object.fromEntries(planted.map(([, file, text]) => [file, text]));
    const tree = plantTree({ ...sound, ...extras, ...wrong });
    trees.push(tree);
    red = cruise(tree);
  });
  afterAll(() => {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true });
  });

  it("pass on a sound tree", () => {
    const tree = plantTree(sound);
    trees.push(tree);
    expect(cruise(tree)).toMatchObject({ status: 0 });
  });

  it("fail on a planted tree", () => {
    expect(red.status).toBeGreaterThan(0);
  });

  it.each(planted)("%s reports %s", (rule, file) => {
    const lines = red.report.split("\n").filter((line) => line.includes(`${rule}: ${file}`));
    expect(lines, red.report).not.toHaveLength(0);
  });
});

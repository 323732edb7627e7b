import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

/** Written in pieces, so that this file itself is clean. */
const LAYER = ["@hermes", "compat"].join("/");
const STATE = `"${LAYER}/hermes-state"`;
const MANIFEST = {
  schema: 1,
  records: [
    { code: "HSC0001", entry: "hermes-state", name: "SessionDB", kind: "stable", status: "stable", target: null },
    { code: "HSC0002", entry: "hermes-state", name: "oldName", kind: "moved-lazy", status: "deprecated", target: null },
  ],
};

const trees: string[] = [];

function check(files: Readonly<Record<string, string>>, layer = true): { code: number | null; lines: string[] } {
  const manifest = layer ? { "compat/manifest.json": JSON.stringify(MANIFEST) } : {};
  const tree = plantTree({ ...manifest, ...files });
  trees.push(tree);
  const script = join(repositoryRoot, "scripts", "check-compat-pointers.mjs");
  const run = spawnSync(process.execPath, [script, tree], { encoding: "utf8", timeout: 60_000 });
  return { code: run.status, lines: `${run.stdout}${run.stderr}`.trim().split("\n") };
}

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

describe("check-compat-pointers", () => {
  it.each([
    ["an import of a stable name", "packages/a/src/a.ts", `import { SessionDB } from ${STATE};`],
    ["a namespace", "packages/a/src/a.ts", `import * as hs from ${STATE};\nhs.oldName;`],
    ["a dynamic import", "packages/a/src/a.mjs", `const { oldName } = await import(${STATE});`],
    ["require", "packages/a/test/a.test.cjs", `require(${STATE}).oldName;`],
    ["import = require", "packages/a/src/a.cts", `import hs = require(${STATE});\nhs.SessionDB;`],
    ["an entry point that the manifest does not have", "packages/a/src/a.ts", `import "${LAYER}/register";`],
    ["a name that is loaded later", "packages/a/src/a.ts", `const name = "${LAYER}/host";`],
    ["a namespace that is passed on", "packages/a/src/a.ts", `import * as hs from ${STATE};\nuse(hs);`],
    ["a file that cannot be read as a program", "packages/a/src/a.ts", "import {"],
    ["another example", "examples/gateway/src/a.ts", `import { SessionDB } from ${STATE};`],
    ["a re-export", "packages/a/src/a.ts", `export { oldName } from ${STATE};`],
    ["a type-only import", "packages/a/src/a.ts", `import type { SessionDB } from ${STATE};`],
    ["an import type", "packages/a/src/a.ts", `let x: import(${STATE}).SessionDB;`],
    ["a JSDoc type", "scripts/a.mjs", `/** @type {import(${STATE}).SessionDB} */\nlet x;`],
    ["a mock", "packages/a/test/a.test.ts", `vi.mock(${STATE});`],
    ["a resolve call", "packages/a/test/a.test.ts", `import.meta.resolve(${STATE});`],
    ["an exact dotted string", "packages/a/src/a.ts", 'patch("hermes-state.oldName");'],
    ["a dependency", "packages/a/package.json", `{ "dependencies": { "${LAYER}": "workspace:*" } }`],
    ["a path of a tsconfig", "tsconfig.json", `{ "compilerOptions": { "paths": { "${LAYER}/*": ["./x/*"] } } }`],
    [
      "a tsconfig with comments",
      "tsconfig.base.json",
      `/* a */ {\n  "compilerOptions": { "paths": { "${LAYER}/*": ["./x/*",] }, /* b */ }, // "c"\n}`,
    ],
    ["a code block with tags", "docs/page.md", `\`\`\`tsx\nimport { SessionDB as A } from ${STATE};\n<A />;\n\`\`\`\n`],
    ["a code block of a module", "docs/page.md", `~~~mts\nimport { SessionDB } from ${STATE};\n~~~\n`],
    ["a whole re-export of CommonJS", "packages/a/src/a.cjs", `module.exports = require(${STATE});`],
    ["a made require", "packages/a/src/a.mjs", `m.createRequire(import.meta.url)(${STATE}).oldName;`],
    ["a code block", "docs/page.md", `text\n\n\`\`\`ts\nimport { SessionDB } from ${STATE};\n\`\`\`\n`],
  ])("CPT-05 fails for %s", (_what, file, text) => {
    const { code, lines } = check({ [file]: text });
    expect(code).toBe(1);
    expect(lines[0]).toMatch(new RegExp(`^${file.replaceAll(".", "\\.")}:\\d+ `));
  });

  it.each([
    ["a longer string", "packages/a/src/a.ts", 'say("hermes-state.oldName is gone");'],
    ["the same member of another object", "packages/a/src/a.ts", "const hs = {}; hs.oldName;"],
    ["a shadowed name", "packages/a/src/a.ts", `function f(require) { require(${STATE}).oldName; }`],
    ["a relative import", "packages/a/src/a.ts", 'import { oldName } from "./hermes-state.js";'],
    ["a comment of a tsconfig", "tsconfig.json", `{ /* "${LAYER}": 1 */ "a": "http://x//y" }`],
    ["a comment", "packages/a/src/a.ts", `// import { oldName } from ${STATE}`],
    ["prose of a document", "docs/page.md", `Plugins import \`oldName\` from ${STATE}.`],
    ["the layer itself", "compat/src/a.ts", `import { SessionDB } from ${STATE};`],
    ["an example of the layer", "examples/plugins/before/a/index.mjs", `import { oldName } from ${STATE};`],
  ])("CPT-05 passes %s", (_what, file, text) => {
    expect(check({ [file]: text })).toEqual({ code: 0, lines: ["Nothing in the tree uses the compat layer."] });
  });

  it("CPT-05 succeeds with a message when the layer has been removed", () => {
    const gone = check({ "packages/a/src/a.ts": `import { SessionDB } from ${STATE};` }, false);
    expect(gone).toEqual({ code: 0, lines: ["There is no compat layer: nothing to check."] });
  });

  it("CPT-05 passes this tree", () => {
    const script = join(repositoryRoot, "scripts", "check-compat-pointers.mjs");
    const run = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 60_000 });
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
  });
});

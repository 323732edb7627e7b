import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { fixPlugin } from "../src/scan/fix-plugin.js";
import { scanPlugin } from "../src/scan/scan-plugin.js";

const USE = 'import { classifyPersistenceError } from "@hermes/compat/hermes-state";\n';

function plant(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe("the scan of a plugin", () => {
  it("CPT-06 tells file, line, old and new, sorted, each once", () => {
    using dir = tempDir();
    plant(dir.path, {
      "src/b.ts": `\n${USE}`,
      "src/a.cjs": 'const { T, isDiskFullError } = require("@hermes/compat/hermes-state");',
      "index.js": 'const a = "hermes-state.classifyPersistenceError", b = "hermes-state.classifyPersistenceError";',
    });
    expect(scanPlugin(dir.path).map((hit) => `${hit.file}:${hit.line} ${hit.old} -> ${hit.new}`)).toEqual([
      "index.js:1 @hermes/compat/hermes-state.classifyPersistenceError -> @hermes/state-core.classifyPersistenceError",
      expect.stringMatching(/^src\/a\.cjs:1 @hermes\/compat\/hermes-state\.T -> .*not kept/),
      expect.stringMatching(/^src\/a\.cjs:1 @hermes\/compat\/hermes-state\.isDiskFullError -> /),
      "src/b.ts:2 @hermes/compat/hermes-state.classifyPersistenceError -> @hermes/state-core.classifyPersistenceError",
    ]);
    expect(scanPlugin(join(dir.path, "src/b.ts")).map(({ file }) => file)).toEqual(["b.ts"]);
  });

  it("CPT-06 leaves out what is not the plugin, and what is no program, and runs nothing", () => {
    using dir = tempDir();
    const bomb = `${USE}process.exit(9); throw new Error("it ran");`;
    plant(dir.path, {
      "node_modules/x/index.js": USE,
      "test/a.js": USE,
      "tests/a.js": USE,
      ".git/a.js": USE,
      ".hidden/a.js": USE,
      "venv/a.js": USE,
      "__pycache__/a.js": USE,
      "broken.js": "import { from",
      "readme.md": USE,
      "bytes.js": Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from("let x;")]),
      "lib/bomb.mjs": bomb,
    });
    symlinkSync(dir.path, join(dir.path, "lib/loop"));
    expect(scanPlugin(dir.path).map(({ file }) => file)).toEqual(["lib/bomb.mjs"]);
  });

  it("CPT-06 throws for a path that is not there", () => {
    using dir = tempDir();
    expect(() => scanPlugin(join(dir.path, "nothing"))).toThrow("ENOENT");
    expect(() => fixPlugin(join(dir.path, "nothing"))).toThrow("ENOENT");
  });

  it("CPT-06 rewrites in place, keeps the mode, and has nothing to do the second time", () => {
    using dir = tempDir();
    const latin = Buffer.concat([Buffer.from(USE), Buffer.from([0x2f, 0x2f, 0xe9, 0x0a])]);
    plant(dir.path, { "a.js": `#!/usr/bin/env node\n${USE}`, "b.js": "let untouched;\n", "latin.js": latin });
    plant(dir.path, { "sign.js": `${USE}const replaced = "\uFFFD";\n` });
    chmodSync(join(dir.path, "a.js"), 0o755);
    expect(fixPlugin(dir.path)).toEqual([join(dir.path, "a.js"), join(dir.path, "sign.js")]);
    expect(readFileSync(join(dir.path, "a.js"), "utf8")).toBe(
      '#!/usr/bin/env node\nimport { classifyPersistenceError } from "@hermes/state-core";\n',
    );
    expect(statSync(join(dir.path, "a.js")).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(dir.path, "latin.js"))).toEqual(latin);
    expect(fixPlugin(dir.path)).toEqual([]);
    expect(scanPlugin(dir.path).map(({ file }) => file)).toEqual(["latin.js"]);
  });

  it("CPT-06 rewrites what a link leads to, and the link stays one", () => {
    using dir = tempDir();
    using elsewhere = tempDir();
    plant(elsewhere.path, { "shared.js": USE });
    const link = join(dir.path, "shared.js");
    symlinkSync(join(elsewhere.path, "shared.js"), link);
    expect(fixPlugin(dir.path)).toEqual([link]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(elsewhere.path, "shared.js"), "utf8")).toContain("@hermes/state-core");
  });
});

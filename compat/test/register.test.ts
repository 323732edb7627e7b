import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { childEnvironment, repoRoot, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";

const LAYER = join(repoRoot(), "compat");
const REGISTER = pathToFileURL(join(LAYER, "dist/register/index.js")).href;

/** Runs a plugin of its own package, with the layer installed beside it. */
function run(files: Readonly<Record<string, string>>, mode: string): { lines: string[]; code: number } {
  using dir = tempDir();
  mkdirSync(join(dir.path, "node_modules/@hermes"), { recursive: true });
  symlinkSync(LAYER, join(dir.path, "node_modules/@hermes/compat"));
  writeFileSync(join(dir.path, "package.json"), JSON.stringify({ name: "the-plugin", type: "module" }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir.path, name), text);
  const watch = "process.on(\"warning\", (w) => console.log(w.code, w.detail.replace(/.*[/]/, \"\").split(\".\")[0], w.detail.match(/:(\\d+)\\./)?.[1], w.detail.includes(\"the-plugin\")));";
  writeFileSync(join(dir.path, "watch.mjs"), watch);
  const args = ["--import", REGISTER, "--import", "./watch.mjs", "main.mjs"];
  const env = childEnvironment({ HERMES_STATE_COMPAT: mode, HERMES_HOME: dir.path });
  try {
    const out = execFileSync(process.execPath, args, { cwd: dir.path, encoding: "utf8", env, stdio: "pipe" });
    return { lines: out.trim().split("\n").filter(Boolean).sort(), code: 0 };
  } catch (error) {
    return { lines: [String((error as { stderr?: string }).stderr)], code: 1 };
  }
}

const FILES = {
  "main.mjs": 'import "./a.mjs";\nimport "./b.mjs";\n',
  "a.mjs":
    'import { SessionDB } from "@hermes/compat/hermes-state";\nimport * as hs from "@hermes/compat/hermes-state";\nhs.isDiskFullError; SessionDB;\n',
  "b.mjs":
    'const { classifyPersistenceError } = await import("@hermes/compat/hermes-state");\nimport { isDiskFullError } from "@hermes/compat/hermes-state";\nclassifyPersistenceError; isDiskFullError;\n',
};

describe("the hook for import", () => {
  it("CPT-04 tells what a module imports, once for each name and plugin, with its line", () => {
    const { lines, code } = run(FILES, "warn");
    expect(code).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^HSC0020 a 3 true$/), expect.stringMatching(/^HSC0022 b 1 true$/)]);
  });

  it("CPT-04 says nothing where the host wants silence, and ends the process where it wants an error", () => {
    expect(run(FILES, "silent")).toEqual({ lines: [], code: 0 });
    const { lines, code } = run(FILES, "throw");
    expect(code).toBe(1);
    expect(lines[0]).toContain("STATE_E_DEPRECATED_NAME");
  });
});

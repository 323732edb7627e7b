import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { childEnvironment, repoRoot, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { pluginFolder } from "./support/plugin-folder.js";

const LAYER = join(repoRoot(), "compat");
const REGISTER = pathToFileURL(join(LAYER, "dist/register/index.js")).href;

/** Runs a plugin of its own package, with the layer installed beside it. */
function run(files: Readonly<Record<string, string>>, mode: string): { lines: string[]; code: number } {
  using dir = tempDir();
  mkdirSync(join(dir.path, "node_modules/@hermes"), { recursive: true });
  symlinkSync(LAYER, join(dir.path, "node_modules/@hermes/compat"));
  writeFileSync(join(dir.path, "package.json"), JSON.stringify({ name: "the-plugin", type: "module" }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir.path, name), text);
  const watch =
    'process.on("warning", (w) => console.log(w.code, w.detail.replace(/.*[/]/, "").split(".")[0], w.detail.match(/:(\\d+)\\./)?.[1], w.detail.includes("the-plugin")));';
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

  const NAMED = 'import { isDiskFullError } from "@hermes/compat/hermes-state";\nexport { isDiskFullError };\n';
  const PASSING = `export async function resolve(specifier, context, next) { return next(specifier, context); }
    export async function load(url, context, next) { return next(url, context); }`;

  it.each([
    ["a namespace", 'import * as face from "@hermes/compat/hermes-state"; face.isDiskFullError;'],
    ["a default of a promise", 'const face = await import("@hermes/compat/hermes-state"); face.isDiskFullError;'],
    ["a callback", 'import("@hermes/compat/hermes-state").then(({ isDiskFullError }) => isDiskFullError);'],
    ["two addresses of one file", 'import "./named.mjs?v=1"; import "./named.mjs?v=2#x";', "named.mjs"],
    ["a file with an odd name", 'import "./sp ace %2520 ü.mjs";', "sp ace %20 ü.mjs"],
    [
      "require of an ES module's own making",
      `import { createRequire } from "node:module";
      createRequire(import.meta.url)("@hermes/compat/hermes-state").isDiskFullError;`.replace(/\n */, " "),
    ],
  ])("CPT-04 tells of %s once, with its file", (_what, text, file = "main.mjs") => {
    using plugins = pluginFolder({ "main.mjs": text, "named.mjs": NAMED, "sp ace %20 ü.mjs": NAMED });
    const { lines } = plugins.node("warn", "--import", REGISTER, "./main.mjs");
    expect(lines).toEqual([`HSC0020 Used by the-host at ${join(plugins.path, file)}:1`]);
  });

  it("CPT-04 tells of import() in CommonJS, in a worker, and beside hooks of others", () => {
    using plugins = pluginFolder({
      "main.cjs": 'import("@hermes/compat/hermes-state").then((face) => face.isDiskFullError);',
      "worker.mjs":
        'import { Worker } from "node:worker_threads"; new Worker(new URL("./named.mjs", import.meta.url));',
      "named.mjs": NAMED,
      "others.mjs": 'import { register } from "node:module"; register("./passing.mjs", import.meta.url);',
      "passing.mjs": PASSING,
    });
    const codes = (...args: string[]): string[] =>
      plugins.node("warn", ...args).lines.map((line) => line.split(" ")[0] ?? "");
    expect(codes("--import", REGISTER, "./main.cjs")).toEqual(["HSC0020"]);
    expect(codes("--import", REGISTER, "./worker.mjs")).toEqual(["HSC0020"]);
    expect(codes("--import", "./others.mjs", "--import", REGISTER, "./named.mjs")).toEqual(["HSC0020"]);
    expect(codes("--import", REGISTER, "--import", "./others.mjs", "./named.mjs")).toEqual(["HSC0020"]);
    expect(codes("--import", REGISTER, "--import", REGISTER, "./named.mjs")).toEqual(["HSC0020"]);
  });

  it("CPT-04 does not tell of words that only speak of a name: comments and strings", () => {
    using plugins = pluginFolder({
      "main.mjs": `import { SessionDB } from "@hermes/compat/hermes-state";
        /** @type {import("@hermes/compat/hermes-state").WalUnsupportedError} */
        export const text = "hermes-state.isDiskFullError";
        export const has = "isMalformedDbError" in { SessionDB };`,
    });
    expect(plugins.node("throw", "--import", REGISTER, "./main.mjs")).toEqual({ lines: [], stderr: "", code: 0 });
  });

  it("CPT-04 leaves an import alone whose file is no path of this machine", () => {
    const hooks = `export async function resolve(specifier, context, next) {
        if (specifier === "made-up") return { url: "file:///made/%2F/up.mjs", format: "module", shortCircuit: true };
        // Such a module resolves nothing by itself: what it asks for is looked for here.
        const parentURL = specifier.startsWith("@hermes/") ? ${JSON.stringify(REGISTER)} : context.parentURL;
        return next(specifier, { ...context, parentURL });
      }
      export async function load(url, context, next) {
        const source = 'import { SessionDB } from "@hermes/compat/hermes-state"; console.log(typeof SessionDB);';
        return url.endsWith("up.mjs") ? { format: "module", source, shortCircuit: true } : next(url, context);
      }`;
    using plugins = pluginFolder({
      "hooks.mjs": hooks,
      "others.mjs": 'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);',
      "main.mjs": 'import "made-up";',
    });
    // The hook that was registered last is asked first: ours, which sees the address that was made up.
    const args = ["--import", "./others.mjs", "--import", REGISTER, "./main.mjs"];
    expect(plugins.node("warn", ...args)).toEqual({ lines: ["function"], stderr: "", code: 0 });
  });
});

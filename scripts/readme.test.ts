import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import ts from "typescript";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { repositoryRoot } from "./support/plant-tree.js";
import { readmeExamples } from "./support/readme-examples.js";

const packages = readdirSync(join(repositoryRoot, "packages")).map((name) => `packages/${name}/README.md`);
const readmes = ["README.md", ...packages].filter((name) => existsSync(join(repositoryRoot, name)));
const examples = (language: "ts" | "sh") =>
  readmes.flatMap((name) =>
    readmeExamples(join(repositoryRoot, name))
      .filter((example) => example.language === language)
      .map((example, index) => [`${name} ${language} example ${index + 1}`, example] as const),
  );

let folder = "";
let before = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "readme-"));
  before = process.cwd();
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs TypeScript as a module of its own and returns what it printed, line by line. */
async function runModule(code: string): Promise<readonly string[]> {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => lines.push(...format(...values).split("\n")));
  const file = join(folder, "example.ts");
  writeFileSync(file, code);
  await import(/* @vite-ignore */ pathToFileURL(file).href);
  return lines;
}

/** What the compiler says about a block that stands in the repository. */
function compile(code: string): readonly string[] {
  const file = join(repositoryRoot, "scripts", "readme-example.ts");
  const config = ts.readConfigFile(join(repositoryRoot, "tsconfig.base.json"), ts.sys.readFile).config as unknown;
  const base = ts.parseJsonConfigFileContent(config, ts.sys, repositoryRoot).options;
  const options = { ...base, declaration: false, isolatedDeclarations: false };
  const host = ts.createCompilerHost(options);
  host.getCurrentDirectory = () => repositoryRoot;
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => (name === file ? code : readFile(name));
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, target) =>
    name === file ? ts.createSourceFile(name, code, target) : getSourceFile(name, target);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}

describe("the README examples", () => {
  it.each(examples("ts"))("%s compiles", (_name, example) => {
    expect(compile(example.code)).toEqual([]);
  });

  it.each(examples("ts"))("%s prints what it says", async (_name, example) => {
    expect(example.prints.length).toBeGreaterThan(0);
    expect(await runModule(example.code)).toEqual(example.prints);
  });

  it.each(examples("sh"))("%s runs", (_name, example) => {
    const cli = join(repositoryRoot, "packages/state-cli/dist/cli.js");
    const wrapper = `hermes-state() { "${process.execPath}" "${cli}" "$@"; }\nset -e\n${example.code}`;
    const env = { ...process.env, HERMES_HOME: folder, NO_COLOR: "1" };
    const run = spawnSync("bash", ["-c", wrapper], { cwd: folder, env, encoding: "utf8", timeout: 60_000 });
    expect(run.stderr + run.stdout).not.toMatch(/not found|Error/);
    expect(run.status, run.stderr).toBe(0);
    for (const text of example.prints) expect(run.stdout).toContain(text);
  });

  it("stand in the README of every public package, and in the one of the repository", () => {
    const names = [...examples("ts"), ...examples("sh")].map(([name]) => name.split(" ")[0]);
    const wanted = ["README.md", ...packages.filter((name) => !/testkit|bench/.test(name))];
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("fail when they say something else than they do", async () => {
    expect(await runModule('console.log("a");\n')).not.toEqual(["b"]);
    expect(compile("const wrong: number = 'x';\nexport { wrong };\n")).toHaveLength(1);
  });
});

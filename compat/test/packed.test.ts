import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedProject } from "./support/packed-project.js";
import type { PackedProject } from "./support/packed-project.js";
import { namesOf, provided, records } from "./support/manifest.js";
import { showInEditor } from "./support/type-check.js";
import type { ShownAll } from "./support/type-check.js";

const ENTRIES = [...new Set(records.map(({ entry }) => entry))];

const NOT_SHIPPED = /^(src|test|tests|bench)\/|[.]test[.]|(?<![.]d)[.][cm]?ts$|tsconfig|tsup/;

let project: PackedProject;
beforeAll(() => void (project = packedProject()), 180_000);
afterAll(() => project[Symbol.dispose]());

function run(kind: "module" | "commonjs", code: string, env: Readonly<Record<string, string>>): string {
  return project.node([`--input-type=${kind}`, "-e", code], env);
}

/** A home that nobody has used, with every place a program may want to write to inside of it. */
function freshHome(): { readonly dir: TempDir; readonly env: Record<string, string> } {
  const dir = tempDir("fresh-home");
  const env = { HOME: dir.file("user"), HERMES_HOME: dir.file("hermes"), TMPDIR: dir.file("tmp") };
  for (const folder of [...Object.values(env), dir.file("work")]) mkdirSync(folder);
  const xdg = Object.fromEntries(["CONFIG", "CACHE", "DATA", "STATE"].map((kind) => [`XDG_${kind}_HOME`, env.HOME]));
  return { dir, env: { ...env, ...xdg, HERMES_STATE_COMPAT: "silent" } };
}

/** Every file and folder below a folder, with what a write to it changes. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })] as const)
    .map(([name, stat]) => `${name} ${stat?.isDirectory() === true ? "" : `${stat?.size ?? 0} ${stat?.mtimeMs ?? 0}`}`)
    .sort();
}

/** What both module systems give for each entry point, and where they or the focused packages differ. */
const COMPARE = `
  const differences = [];
  const names = {};
  for (const entry of entries) {
    const esm = await imported("@hermes/compat/" + entry);
    const cjs = required("@hermes/compat/" + entry);
    names[entry] = { esm: Object.keys(esm).sort(), cjs: Object.keys(cjs).sort() };
    for (const name of names[entry].esm) {
      if (esm[name] === undefined) differences.push(entry + "." + name + " is undefined");
      if (esm[name] !== cjs[name]) differences.push(entry + "." + name + " differs between import and require");
    }
  }
  for (const { entry, name, target } of moved) {
    const compat = (await imported("@hermes/compat/" + entry))[name];
    if (compat !== (await imported(target.package))[target.export]) differences.push(name + " differs from import");
    if (compat !== required(target.package)[target.export]) differences.push(name + " differs from require");
  }
  console.log(JSON.stringify({ names, differences }));`;

const GIVEN = `const entries = ${JSON.stringify(ENTRIES)};
  const moved = ${JSON.stringify(records.filter(({ target }) => target?.package !== undefined))};`;

const SYSTEMS = {
  module: `import { createRequire } from "node:module";
    const required = createRequire(import.meta.url);
    const imported = (name) => import(name);
    ${GIVEN} ${COMPARE}`,
  commonjs: `const required = require;
    const imported = (name) => { require(name); return import(name); };
    ${GIVEN} (async () => { ${COMPARE} })();`,
} as const;

describe("the packed packages under a fresh home", () => {
  it.each(["module", "commonjs"] as const)(
    "CPT-09 CPT-02 have every name of every entry point, the same object for all, seen from a %s",
    (kind) => {
      const { dir, env } = freshHome();
      using _home = dir;
      const told = JSON.parse(run(kind, SYSTEMS[kind], env)) as {
        readonly names: Readonly<Record<string, { readonly esm: string[]; readonly cjs: string[] }>>;
        readonly differences: readonly string[];
      };
      expect(told.differences).toEqual([]);
      for (const entry of ENTRIES) {
        const names = namesOf(entry);
        expect([entry, told.names[entry]]).toEqual([entry, { esm: names, cjs: names }]);
      }
    },
  );

  it("CPT-09 write nothing when they are loaded and every name is read", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const before = [snapshot(project.path), snapshot(dir.path)];
    run("module", SYSTEMS.module, env);
    expect([snapshot(project.path), snapshot(dir.path)]).toEqual(before);
  });

  it("CPT-09 open the default store in the home they are given, and write nowhere else", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const before = snapshot(project.path);
    const open = `const { SessionDB } = require("@hermes/compat/hermes-state");
      const db = new SessionDB();
      db.createSession("s1", "cli"); db.appendMessage("s1", "user", "hello");
      console.log(db.getMessages("s1").length); db.close();`;
    expect(run("commonjs", open, env)).toBe("1");
    expect(snapshot(project.path)).toEqual(before);
    const written = snapshot(dir.path).map((line) => line.split(" ")[0]);
    expect(written.filter((name) => name?.includes("/") === true && !name.startsWith("hermes/"))).toEqual([]);
    expect(existsSync(dir.file("hermes/state.db"))).toBe(true);
  });

  it("CPT-09 serve a store from a worker, and end with it", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const code = `const db = new (require("@hermes/compat/hermes-state").AsyncSessionDB)();
      db.createSession("s1", "cli").then(() => db.close()).then(() => console.log("closed"));`;
    expect(project.node(["-e", code], env)).toBe("closed");
  });

  it("CPT-09 load whatever else they export, in both module systems", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const told = run(
      "module",
      `import { createRequire } from "node:module";
       const require = createRequire(import.meta.url);
       for (const name of ${JSON.stringify(project.names)}) {
         for (const path of Object.keys(require(name + "/package.json").exports)) {
           const specifier = name + path.slice(1);
           if (typeof require(specifier) !== "object") console.log(specifier);
           if (!path.endsWith(".json") && Object.keys(await import(specifier)).join() !== Object.keys(require(specifier)).join())
             console.log(specifier + " differs");
         }
       }`,
      env,
    );
    expect(told).toBe("");
  });

  it("CPT-01 require of any entry point loads no focused package until a name is read", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const code = (entry: string): string => `const face = require("@hermes/compat/${entry}");
      Object.keys(face); "SessionDB" in face; Object.getOwnPropertyDescriptors(face);
      console.log(Object.keys(require.cache).map((file) => file.replaceAll("\\\\", "/").split("/@hermes/").pop()).join());`;
    for (const entry of ENTRIES) {
      expect(run("commonjs", code(entry), env)).toBe(`compat/entries/${entry}.cjs,compat/dist/runtime/lazy-face.cjs`);
    }
  });

  it("CPT-01 import of any entry point loads no native code", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const native =
      "process.report.getReport().sharedObjects.filter((file) => /[.]node$|koffi|sqlite/i.test(file)).length";
    const code = (entry: string): string => `process.report.excludeNetwork = true;
      await import("@hermes/compat/${entry}");
      console.log(${native});`;
    for (const entry of ENTRIES) expect([entry, run("module", code(entry), env)]).toEqual([entry, "0"]);
    const opened = `const { SessionDB } = await import("@hermes/compat/hermes-state");
      new SessionDB().close();
      console.log(${native} > 0);`;
    expect(run("module", opened, env)).toBe("true");
  });

  it("CPT-09 CPT-06 bring a command that finds the layer beside it", () => {
    const { dir, env } = freshHome();
    using _home = dir;
    const command = join(project.path, "node_modules/@hermes/state-cli/dist/cli.js");
    const file = dir.file("work/plugin.mjs");
    writeFileSync(file, 'import { classifyPersistenceError } from "@hermes/compat/hermes-state";\n');
    expect(project.node([command, "plugins", "compat", file, "--fix"], env)).toContain("plugin.mjs");
    expect(readFileSync(file, "utf8")).toBe('import { classifyPersistenceError } from "@hermes/state-core";\n');
  });

  it("CPT-09 carry every file they declare, and neither sources nor tests", () => {
    expect(project.names.length).toBeGreaterThan(7);
    for (const name of project.names) {
      const folder = join(project.path, "node_modules", name);
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((file) => file.replaceAll("\\", "/"))
        .filter((file) => !file.startsWith("node_modules"));
      const text = readFileSync(join(folder, "package.json"), "utf8");
      expect(text).not.toContain("workspace:");
      const { exports } = JSON.parse(text) as { readonly exports: object };
      const declared = [...JSON.stringify(Object.values(exports)).matchAll(/"[.][/]([^"]+)"/g)].map(([, file]) => file);
      expect([name, declared.filter((file) => !files.includes(file ?? ""))]).toEqual([name, []]);
      expect([name, files.filter((file) => NOT_SHIPPED.test(file))]).toEqual([name, []]);
      expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    }
  });
});

/** One line for each name of each entry point: its value, and for a class its type. */
function useOf(kind: "mts" | "cts"): { readonly text: string; readonly deprecated: readonly string[] } {
  const lines: string[] = [];
  const deprecated: string[] = [];
  for (const [index, entry] of ENTRIES.entries()) {
    const from = `"@hermes/compat/${entry}"`;
    lines.push(kind === "mts" ? `import * as m${index} from ${from};` : `import m${index} = require(${from});`);
    for (const { name, what, status } of provided(entry)) {
      const uses = [
        `void m${index}.${name};`,
        ...(what === "class" ? [`export type T${lines.length} = m${index}.${name};`] : []),
      ];
      for (const use of uses) {
        lines.push(use);
        if (status === "deprecated") deprecated.push(`${lines.length} ${name}`);
      }
    }
  }
  return { text: lines.join("\n"), deprecated };
}

const PLUGIN = `import { CompressionSessionBusyError, SessionDB, isDiskFullError as full } from "@hermes/compat/hermes-state";
export type Busy = CompressionSessionBusyError | SessionDB;
export const { isMalformedDbError } = await import("@hermes/compat/hermes-state");
export const again = full;
export { SessionSearchMixin } from "@hermes/compat/hermes-state-search";`;

describe("the types of the packed packages", () => {
  const [esm, cjs] = [useOf("mts"), useOf("cts")];
  let shown: ShownAll;
  beforeAll(() => {
    shown = showInEditor(project.path, { "all.mts": esm.text, "all.cts": cjs.text, "plugin.mts": PLUGIN });
  }, 60_000);

  it("CPT-09 are there for each name in both module systems, and hold by themselves", () => {
    expect(shown.files["all.mts"]?.errors).toEqual([]);
    expect(shown.files["all.cts"]?.errors).toEqual([]);
    expect(shown.declarations).toEqual([]);
  });

  it("CPT-04 strike each deprecated name through, as a value and as a type, and no stable one", () => {
    expect(shown.files["all.mts"]?.struck).toEqual(esm.deprecated);
    expect(shown.files["all.cts"]?.struck).toEqual(cjs.deprecated);
  });

  it("CPT-04 strike a name through where it is imported and at each use; a name that is not kept is an error", () => {
    expect(shown.files["plugin.mts"]?.struck).toEqual([
      "1 CompressionSessionBusyError",
      "1 isDiskFullError as full",
      "2 CompressionSessionBusyError",
      "3 isMalformedDbError",
      "4 full",
    ]);
    expect(shown.files["plugin.mts"]?.errors).toEqual([expect.stringContaining("SessionSearchMixin")]);
  });
});

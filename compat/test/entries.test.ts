import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, repoRoot, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { namesOf, records } from "./support/manifest.js";

const LAYER = join(repoRoot(), "compat");
const ENTRIES = [...new Set(records.map(({ entry }) => entry))];

/** Runs code in a process of its own, in the folder of the layer, under a fresh home. */
function run(code: string, kind: "module" | "commonjs", env: Environment = {}): string {
  using home = tempHome();
  const args = kind === "module" ? ["--input-type=module", "-e", code] : ["--input-type=commonjs", "-e", code];
  const options = {
    cwd: LAYER,
    encoding: "utf8",
    timeout: 60_000,
    env: childEnvironment({ HERMES_HOME: home.path, HOME: home.path, HERMES_STATE_COMPAT: "silent", ...env }),
    stdio: "pipe",
  } as const;
  return execFileSync(process.execPath, args, options).trim();
}

type Environment = Readonly<Record<string, string | undefined>>;

const face = (entry: string, extension: string): string =>
  JSON.stringify(join(LAYER, "entries", `${entry}.${extension}`));

describe("entry points", () => {
  it.each(ENTRIES)(
    "CPT-01 CPT-02 CPT-09 %s has the names of the manifest in both module systems, the same objects",
    (entry) => {
      const names = namesOf(entry);
      const told = run(
        `const esm = await import(${face(entry, "mjs")});
       const { createRequire } = await import("node:module");
       const cjs = createRequire(import.meta.url)(${face(entry, "cjs")});
       const same = Object.keys(esm).filter((name) => esm[name] === cjs[name]);
       console.log(JSON.stringify({ esm: Object.keys(esm), cjs: Object.keys(cjs), same, undefined: same.filter((name) => esm[name] === undefined) }));`,
        "module",
      );
      const { esm, cjs, same, undefined: missing } = JSON.parse(told) as { [key: string]: string[] };
      expect(esm?.sort()).toEqual(names);
      expect(cjs?.sort()).toEqual(names);
      expect(same?.sort()).toEqual(names);
      expect(missing).toEqual([]);
    },
  );

  it("CPT-02 a name that moved is the focused package's own object", () => {
    const moved = records.filter(({ target }) => target?.package !== undefined);
    expect(moved.length).toBeGreaterThan(5);
    for (const { entry, name, target } of moved) {
      const code = `const { createRequire } = await import("node:module");
        const load = createRequire(import.meta.url);
        const focused = await import(${JSON.stringify(target?.package)});
        const esm = await import(${face(entry, "mjs")});
        const same = focused[${JSON.stringify(target?.export)}] === esm[${JSON.stringify(name)}] &&
          esm[${JSON.stringify(name)}] === load(${face(entry, "cjs")})[${JSON.stringify(name)}];
        console.log(same);`;
      expect([name, run(code, "module")]).toEqual([name, "true"]);
    }
  });

  it("CPT-01 requiring an entry point loads nothing until a name is read, and then that home alone", () => {
    const told = run(
      `const before = Object.keys(require.cache).length;
       const cpu = process.cpuUsage();
       const faces = ${JSON.stringify(ENTRIES)}.map((entry) => require(${JSON.stringify(join(LAYER, "entries"))} + "/" + entry + ".cjs"));
       const loaded = Object.keys(require.cache).filter((file) => !file.endsWith(".cjs"));
       const keys = faces.map((face) => Object.keys(face).length);
       const still = Object.keys(require.cache).filter((file) => !file.endsWith(".cjs"));
       console.log(JSON.stringify({ loaded, still, keys: keys.length }));`,
      "commonjs",
    );
    expect(JSON.parse(told)).toEqual({ loaded: [], still: [], keys: ENTRIES.length });
  });

  it("CPT-01 importing any entry point never loads the native driver", () => {
    const code = `${ENTRIES.map((entry) => `await import(${face(entry, "mjs")});`).join("\n")}
      console.log(process.report.getReport().sharedObjects.filter((file) => file.includes("better_sqlite3")).length);`;
    expect(run(code, "module")).toBe("0");
    const opened = `const { SessionDB } = await import(${face("hermes-state", "mjs")});
      const db = new SessionDB(); db.close();
      console.log(process.report.getReport().sharedObjects.filter((file) => file.includes("better_sqlite3")).length);`;
    expect(run(opened, "module")).toBe("1");
  });

  it("CPT-09 a class has every member that the manifest lists, and so has its asynchronous twin", () => {
    const classes = records.filter(({ members }) => members !== undefined);
    const names = classes.map(({ name }) => name);
    for (const twin of ["SessionDB", "SessionStore"])
      expect(names).toEqual(expect.arrayContaining([twin, `Async${twin}`]));
    const code = `const { createRequire } = await import("node:module");
      const load = createRequire(import.meta.url);
      const missing = [];
      for (const [file, name, members] of ${JSON.stringify(
        classes.map(({ entry, name, members }) => [
          join(LAYER, "entries", `${entry}.cjs`),
          name,
          members?.map((member) => member.name),
        ]),
      )}) {
        const type = load(file)[name];
        for (const member of members) if (!(member in type.prototype || member in type)) missing.push(name + "." + member);
      }
      console.log(JSON.stringify(missing));`;
    expect(JSON.parse(run(code, "module"))).toEqual([]);
  });

  it("CPT-03 the tests that the manifest names are there, and no private name is in it", () => {
    const missing = records.flatMap(({ tests }) => tests).filter((file) => !existsSync(join(repoRoot(), file)));
    expect(missing).toEqual([]);
    expect(records.filter(({ name }) => name.startsWith("_"))).toEqual([]);
  });
});

describe("warnings", () => {
  const use = (extra = ""): string =>
    `process.on("warning", (warning) => console.log([warning.name, warning.code, warning.message.includes("until 2027-06-30")].join(" ")));
     const face = require(${face("hermes-state", "cjs")});
     face.classifyPersistenceError; face.classifyPersistenceError; face.isDiskFullError; face.SessionDB; ${extra}`;

  it("CPT-04 come once for each name and plugin, never for a stable name", () => {
    const [first, second, ...rest] = run(use(), "commonjs", { HERMES_STATE_COMPAT: "warn" }).split("\n");
    expect([first, second]).toEqual([
      expect.stringMatching(/^HermesCompatWarning HSC\d{4} true$/),
      expect.stringMatching(/^HermesCompatWarning HSC\d{4} true$/),
    ]);
    expect(rest).toEqual([]);
  });

  it("CPT-04 are silent or thrown where the host says so; listeners hear of both", () => {
    expect(run(use(), "commonjs", { HERMES_STATE_COMPAT: "silent" })).toBe("");
    const thrown = run(
      `const face = require(${face("hermes-state", "cjs")});
       try { face.classifyPersistenceError; } catch (error) { console.log(error.code, error.facts.name); }
       console.log(typeof face.SessionDB);`,
      "commonjs",
      { HERMES_STATE_COMPAT: "throw" },
    );
    expect(thrown).toBe("STATE_E_DEPRECATED_NAME classifyPersistenceError\nfunction");
    const heard = run(
      `const { createRequire } = await import("node:module");
       const { onCompatUse } = await import(${JSON.stringify(join(LAYER, "dist/host/index.js"))});
       const end = onCompatUse((use) => console.log(use.name, use.removal));
       const face = createRequire(import.meta.url)(${face("hermes-state", "cjs")});
       face.isDiskFullError; face.isDiskFullError; end(); face.isMalformedDbError;`,
      "module",
    );
    expect(heard).toBe("isDiskFullError 2027-06-30");
  });
});

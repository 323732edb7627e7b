import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { fixPlugin } from "../src/scan/fix-plugin.js";

const OLD = 'import { classifyPersistenceError } from "@hermes/compat/hermes-state";\n';
const NEW = 'import { classifyPersistenceError } from "@hermes/state-core";\n';
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes files, fixes the folder, and tells what the first of them holds then. */
function fixed(files: Readonly<Record<string, string>>): { first: string; again: string[] } {
  using dir = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir.path, name, ".."), { recursive: true });
    writeFileSync(join(dir.path, name), text);
  }
  fixPlugin(dir.path);
  const first = readFileSync(join(dir.path, Object.keys(files)[0] ?? ""), "utf8");
  return { first, again: fixPlugin(dir.path) };
}

describe("the dependencies of a plugin that was rewritten", () => {
  it.each(["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"])(
    "CPT-06 are declared in %s, where the layer is",
    (section) => {
      const before = { name: "p", [section]: { "@hermes/compat": "^0.1.0", zod: "^4.0.0" } };
      const { first, again } = fixed({ "package.json": json(before), "index.mjs": OLD });
      const after = { "@hermes/compat": "^0.1.0", "@hermes/state-core": "^0.1.0", zod: "^4.0.0" };
      expect(first).toBe(json({ name: "p", [section]: after }));
      expect(again).toEqual([]);
    },
  );

  it.each([
    ["a range of the workspace", "workspace:^", "workspace:^"],
    ["any version", "*", "*"],
    ["a version", "0.0.9", "^0.1.0"],
  ])("CPT-06 have the range that %s asks for", (_what, layer, core) => {
    const { first } = fixed({ "package.json": json({ dependencies: { "@hermes/compat": layer } }), "index.mjs": OLD });
    expect(JSON.parse(first)).toEqual({ dependencies: { "@hermes/compat": layer, "@hermes/state-core": core } });
  });

  it("CPT-06 keep the order, the indentation and the line ends of the file", () => {
    const before = '{\r\n\t"dependencies": {\r\n\t\t"zod": "^4.0.0",\r\n\t\t"@hermes/compat": "*"\r\n\t}\r\n}';
    const { first } = fixed({ "package.json": before, "index.mjs": OLD });
    expect(first).toBe(
      before.replace('"@hermes/compat": "*"', '"@hermes/compat": "*",\r\n\t\t"@hermes/state-core": "*"'),
    );
  });

  it("CPT-06 keep a file on one line that was on one", () => {
    const { first } = fixed({ "package.json": '{"dependencies":{"@hermes/compat":"*"}}\n', "index.mjs": OLD });
    expect(first).toBe('{"dependencies":{"@hermes/compat":"*","@hermes/state-core":"*"}}\n');
  });

  it("CPT-06 are finished after a run that was killed between the code and its package.json", () => {
    const { first } = fixed({ "package.json": json({ dependencies: { "@hermes/compat": "*" } }), "index.mjs": NEW });
    expect(JSON.parse(first)).toEqual({ dependencies: { "@hermes/compat": "*", "@hermes/state-core": "*" } });
  });

  it("CPT-06 go into the package.json that is next above the code", () => {
    const inner = json({ dependencies: { "@hermes/compat": "*" } });
    const outer = json({ name: "outer", dependencies: { "@hermes/compat": "*" } });
    expect(fixed({ "a/package.json": inner, "package.json": outer, "a/src/index.mjs": OLD }).first).toContain(
      "state-core",
    );
    expect(fixed({ "package.json": outer, "a/package.json": inner, "a/src/index.mjs": OLD }).first).toBe(outer);
  });

  it.each([
    ["declares no layer", json({ dependencies: { zod: "^4.0.0" } })],
    [
      "has the package already",
      json({ dependencies: { "@hermes/compat": "*" }, peerDependencies: { "@hermes/state-core": "*" } }),
    ],
    ["is no JSON", '{ "dependencies": { "@hermes/compat": "*" }, }'],
    ["is no object", "[]\n"],
  ])("CPT-06 leave a package.json alone that %s", (_what, text) => {
    expect(fixed({ "package.json": text, "index.mjs": OLD }).first).toBe(text);
  });

  it("CPT-06 are not touched for one file", () => {
    using dir = tempDir();
    const manifest = json({ dependencies: { "@hermes/compat": "*" } });
    writeFileSync(join(dir.path, "package.json"), manifest);
    writeFileSync(join(dir.path, "index.mjs"), OLD);
    expect(fixPlugin(join(dir.path, "index.mjs"))).toEqual([join(dir.path, "index.mjs")]);
    expect(readFileSync(join(dir.path, "package.json"), "utf8")).toBe(manifest);
  });
});

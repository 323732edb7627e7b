import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { loadPlugins } from "../src/host/index.js";
import type { HostedPlugin, LoadPluginsOptions } from "../src/host/index.js";
import type { CompatReport } from "../src/host/index.js";

const OLD = 'import { classifyPersistenceError } from "@hermes/compat/hermes-state";\n';
const REMOVAL = "2027-06-30";

function plugin(folder: string, name: string, text: string): HostedPlugin {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "index.mjs"), text);
  return { name, root, load: () => `module of ${name}` };
}

async function states(plugins: readonly HostedPlugin[], options: LoadPluginsOptions): Promise<string[]> {
  const loaded = await loadPlugins(plugins, { force: true, ...options });
  return loaded.map(({ name, state, module }) => `${name} ${state}${module === undefined ? "" : " +"}`);
}

describe("loadPlugins", () => {
  it("CPT-07 loads with a notice before the day, and not at all from it on", async () => {
    using dir = tempDir();
    const plugins = [plugin(dir.path, "old", OLD), plugin(dir.path, "new", "export {};")];
    expect(await states(plugins, { day: "2027-06-29" })).toEqual(["old notice +", "new loaded +"]);
    expect(await states(plugins, { day: REMOVAL })).toEqual(["old disabled", "new loaded +"]);
    expect(await states(plugins, { day: "2030-01-01" })).toEqual(["old disabled", "new loaded +"]);
    const [told] = await loadPlugins(plugins, { day: REMOVAL });
    expect(told?.reason).toContain(`uses 1 import path removed on ${REMOVAL}`);
    expect(told?.reason).toContain("plugins compat");
  });

  it("CPT-07 has a way out that must be literally true", async () => {
    using dir = tempDir();
    const plugins = [plugin(dir.path, "old", OLD)];
    for (const allowDeprecatedImports of ["true", "yes", 1, {}, "false", false, null, undefined]) {
      expect(await states(plugins, { day: REMOVAL, allowDeprecatedImports })).toEqual(["old disabled"]);
    }
    expect(await states(plugins, { day: REMOVAL, allowDeprecatedImports: true })).toEqual(["old forced +"]);
  });

  it("CPT-07 writes a report that says who, where and what, and deletes it when there is nothing to say", async () => {
    using dir = tempDir();
    const reportFile = join(dir.path, ".plugin-compat-report.json");
    const plugins = [plugin(dir.path, "old", OLD)];
    await loadPlugins(plugins, { force: true, reportFile, day: "2027-01-01" });
    const report = JSON.parse(readFileSync(reportFile, "utf8")) as CompatReport;
    expect(report).toMatchObject({ removal_date: REMOVAL, in_effect: false });
    expect(report.written_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(report.plugins["old"]).toEqual([
      {
        file: "index.mjs",
        line: 1,
        old: "@hermes/compat/hermes-state.classifyPersistenceError",
        new: "@hermes/state-core.classifyPersistenceError",
      },
    ]);
    writeFileSync(join(dir.path, "old", "index.mjs"), "export {};");
    await loadPlugins(plugins, { force: true, reportFile, day: "2027-01-01" });
    expect(existsSync(reportFile)).toBe(false);
    const nowhere = join(dir.path, "no", "such", "folder", "report.json");
    expect(await states([plugin(dir.path, "old", OLD)], { reportFile: nowhere, day: "2027-01-01" })).toEqual([
      "old notice +",
    ]);
  });

  it("CPT-07 never runs a plugin to scan it, scans once, and never scans the working folder", async () => {
    using dir = tempDir();
    const bomb = plugin(dir.path, "bomb", `${OLD}process.exit(7);`);
    expect(await states([bomb], { day: "2027-01-01" })).toEqual(["bomb notice +"]);
    writeFileSync(join(dir.path, "bomb", "index.mjs"), "export {};");
    const cached = await loadPlugins([bomb], { day: "2027-01-01" });
    expect(cached[0]?.state).toBe("notice");
    expect(await states([bomb], { day: "2027-01-01" })).toEqual(["bomb loaded +"]);
    const [relative] = await loadPlugins([{ name: "r", root: ".", load: () => 1 }], { force: true });
    expect(relative).toMatchObject({
      state: "loaded",
      hits: [],
      reason: expect.stringContaining("not absolute") as string,
    });
    const [gone] = await loadPlugins([{ name: "g", root: join(dir.path, "nothing"), load: () => 1 }], { force: true });
    expect(gone).toMatchObject({ state: "loaded", reason: expect.stringContaining("not scanned") as string });
    const [none] = await loadPlugins([{ name: "n", root: null, load: () => 1 }], { force: true });
    expect(none).toMatchObject({ state: "loaded", reason: null });
  });

  it("P29 CPT-07 tells a name that is not there as what it is, and loads the others", async () => {
    const missing = new SyntaxError("The requested module 'x' does not provide an export named 'gone'");
    const plugins: HostedPlugin[] = [
      { name: "broken", root: null, load: () => Promise.reject(missing) },
      { name: "fine", root: null, load: () => Promise.resolve("ok") },
    ];
    const loaded = await loadPlugins(plugins, { force: true });
    expect(loaded.map(({ state }) => state)).toEqual(["failed", "loaded"]);
    expect(loaded[0]?.reason).toContain("a name that is not there");
  });
});

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it, vi } from "vitest";
import { loadPlugins } from "../src/host/index.js";
import type { HostedPlugin, LoadPluginsOptions } from "../src/host/index.js";
import type { CompatReport } from "../src/host/index.js";
import { pluginFolder } from "./support/plugin-folder.js";

const OLD = 'import { classifyPersistenceError } from "@hermes/compat/hermes-state";\n';
const REMOVAL = "2027-06-30";
const RECORD = {
  code: "HSC9999",
  entry: "hermes-state",
  name: "a",
  kind: "restored-def",
  status: "deprecated",
  target: null,
  removal: null,
  replacement: null,
} as const;

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

  it("CPT-07 judges each of two plugins that have one name by itself, and reports both", async () => {
    using dir = tempDir();
    const reportFile = dir.file("report.json");
    const [first, second] = [plugin(dir.path, "a/clock", OLD), plugin(dir.path, "b/clock", "export {};")];
    const plugins = [first, second, plugin(dir.path, "c/clock", OLD)].map((one) => ({ ...one, name: "clock" }));
    const told = await states(plugins, { day: REMOVAL, reportFile });
    expect(told).toEqual(["clock disabled", "clock loaded +", "clock disabled"]);
    const { plugins: reported } = JSON.parse(readFileSync(reportFile, "utf8")) as CompatReport;
    expect(reported["clock"]).toHaveLength(2);
  });

  it("CPT-07 looks again for other names, and where it could not look before", async () => {
    using dir = tempDir();
    const old = plugin(dir.path, "old", OLD);
    const [before] = await loadPlugins([old], { records: [], day: REMOVAL });
    expect(before?.state).toBe("loaded");
    const late = { name: "late", root: join(dir.path, "late"), load: () => 1 };
    const told = await loadPlugins([old, late], { day: REMOVAL });
    expect(told.map(({ state }) => state)).toEqual(["disabled", "loaded"]);
    plugin(dir.path, "late", OLD);
    const again = await loadPlugins([old, late], { day: REMOVAL });
    expect(again.map(({ state }) => state)).toEqual(["disabled", "disabled"]);
  });

  it("CPT-07 says how many of the names are gone, not how many will be", async () => {
    using dir = tempDir();
    const plugins = [plugin(dir.path, "old", 'import { a, b } from "@hermes/compat/hermes-state";')];
    const records = ["2027-01-01", "2028-01-01"].map((removal, at) => ({ ...RECORD, name: "ab".charAt(at), removal }));
    const reasons = async (options: LoadPluginsOptions): Promise<string | null | undefined> =>
      (await loadPlugins(plugins, { records, ...options }))[0]?.reason;
    expect(await reasons({ day: "2026-12-31" })).toContain(
      "2 import paths that do not stay, the first of them removed on",
    );
    expect(await reasons({ day: "2026-12-31" })).toContain("2027-01-01 (in 1 day)");
    expect(await reasons({ day: "2027-01-01" })).toContain("uses 1 import path removed on 2027-01-01;");
    expect(await reasons({ day: "2027-06-01", allowDeprecatedImports: true })).toMatch(
      /^force-loaded .* 1 import path /,
    );
    expect(await reasons({ day: "2028-01-01" })).toContain("uses 2 import paths removed by 2028-01-01;");
  });

  it("CPT-07 goes on where a report cannot be written, and leaves nothing beside it", async () => {
    using dir = tempDir();
    const plugins = [plugin(dir.path, "old", OLD)];
    writeFileSync(dir.file("file"), "");
    mkdirSync(dir.file("folder"));
    for (const reportFile of ["file/report.json", "no/folder/report.json", "folder", "x".repeat(300)].map(dir.file)) {
      expect(await states(plugins, { reportFile, day: "2027-01-01" })).toEqual(["old notice +"]);
      expect(await states([], { reportFile })).toEqual([]);
    }
    expect(readdirSync(dir.path).sort()).toEqual(["file", "folder", "old"]);
  });

  it("CPT-07 counts the days in UTC, wherever the host is, and takes no other text for a day", async () => {
    using dir = tempDir();
    const plugins = [plugin(dir.path, "old", OLD)];
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (const zone of ["Pacific/Kiritimati", "America/Los_Angeles", "UTC"]) {
        vi.stubEnv("TZ", zone);
        vi.setSystemTime(new Date("2027-06-29T23:59:59.999Z"));
        expect(await states(plugins, {})).toEqual(["old notice +"]);
        vi.setSystemTime(new Date("2027-06-30T00:00:00Z"));
        expect(await states(plugins, {})).toEqual(["old disabled"]);
      }
    } finally {
      vi.useRealTimers();
      vi.unstubAllEnvs();
    }
    for (const day of ["2027-6-3", "tomorrow", "", "2027-13-01", "2027-06-30T00:00:00Z"]) {
      await expect(loadPlugins(plugins, { day })).rejects.toThrow(RangeError);
    }
  });

  it("CPT-07 scans no working folder for a plugin that has no folder, and one file for one that is a file", async () => {
    using dir = tempDir();
    const { root } = plugin(dir.path, "old", OLD);
    plugin(dir.path, "old/beside", OLD);
    const load = (): number => 1;
    const plugins: HostedPlugin[] = [
      { name: "none", load },
      { name: "empty", root: "", load },
      { name: "dot", root: "./", load },
      { name: "file", root: join(root ?? "", "index.mjs"), load },
    ];
    const told = await loadPlugins(plugins, { day: REMOVAL, force: true });
    expect(told.map(({ state, hits }) => `${state} ${hits.map(({ file }) => file).join()}`)).toEqual([
      "loaded ",
      "loaded ",
      "loaded ",
      "disabled index.mjs",
    ]);
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

  it("P29 CPT-07 loads plugins of both module systems, and says what is wrong with one that does not load", () => {
    const face = "@hermes/compat/session-store";
    using plugins = pluginFolder({
      "p/esm.mjs": `import { loadSessionStore } from "${face}"; export const kind = typeof loadSessionStore;`,
      "p/cjs.cjs": `exports.kind = typeof require("${face}").loadSessionStore;`,
      "p/missing.mjs": `import { loadSessionStore, saveSessionStore } from "${face}";`,
      "p/nowhere.mjs": 'import "@hermes/compat/gone-for-good";',
      "p/throws.cjs": "throw null;",
      "p/broken.mjs": "const = 1;",
      "host.mjs": `import { readdirSync } from "node:fs";
        import { loadPlugins } from "@hermes/compat/host";
        const files = readdirSync("p").map((file) => import.meta.dirname + "/p/" + file);
        const plugins = files.map((root) => ({ name: root.slice(-11), root, load: () => import(root) }));
        for (const { name, state, module, reason } of await loadPlugins(plugins, { day: "2027-01-01" }))
          console.log(name.replace(/.*[/]/, ""), state, module?.kind ?? module?.default?.kind ?? reason);`,
    });
    const { lines, code } = plugins.node("silent", "./host.mjs");
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^broken.mjs failed ./),
      "cjs.cjs notice function",
      "esm.mjs notice function",
      `missing.mjs failed imports a name that is not there: The requested module '${face}' does not provide an export ` +
        "named 'saveSessionStore'",
      expect.stringContaining("nowhere.mjs failed Package subpath './gone-for-good'"),
      "throws.cjs failed it threw no error",
    ]);
  });
});

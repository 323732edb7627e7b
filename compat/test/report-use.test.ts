import { afterEach, describe, expect, it, vi } from "vitest";
import { onCompatUse } from "../src/host/index.js";
import type { DeprecatedName } from "../src/host/index.js";
import { reportUse } from "../src/runtime/report-use.js";
import { pluginFolder } from "./support/plugin-folder.js";

const USES = `const face = require("@hermes/compat/hermes-state");
face.isDiskFullError;
for (let round = 0; round < 3; round += 1) face.isMalformedDbError;
`;

const PLUGINS = {
  "node_modules/one/index.js": USES,
  "node_modules/one/other.js": USES,
  "node_modules/one/package.json": '{"name":"one"}',
  "node_modules/two/index.js": USES,
  "node_modules/two/package.json": '{"name":"two"}',
};
const LOAD = 'require("one"); require("one/other.js"); require("two");';

describe("the warnings of a process", () => {
  it("CPT-04 come once for each plugin and name, and again in the next process", () => {
    using plugins = pluginFolder(PLUGINS);
    const warned = ["HSC0020 one", "HSC0019 one", "HSC0020 two", "HSC0019 two"];
    for (const mode of ["warn", undefined, "", "THROW", "off"]) {
      const { lines } = plugins.node(mode, "-e", LOAD);
      expect([mode, lines.map((line) => line.replace(/Used by (\w+) .*/, "$1"))]).toEqual([mode, warned]);
    }
    expect(plugins.node("silent", "-e", LOAD).lines).toEqual([]);
  });

  it("CPT-04 are errors where the name is read, each time, with HERMES_STATE_COMPAT=throw", () => {
    using plugins = pluginFolder({
      "index.js": `const face = require("@hermes/compat/hermes-state");
        for (let round = 0; round < 2; round += 1) {
          try { face.isDiskFullError; } catch (error) { console.log(error.code, error.stack.includes("index.js:3")); }
        }
        try { const { isDiskFullError } = face; } catch (error) { console.log(error.facts.line); }
        try { ({ ...face }); } catch (error) { console.log(error.code); }
        console.log(typeof face.SessionDB);`,
    });
    expect(plugins.node("throw", "./index.js").lines).toEqual([
      "STATE_E_DEPRECATED_NAME true",
      "STATE_E_DEPRECATED_NAME true",
      "5",
      "STATE_E_DEPRECATED_NAME",
      "function",
    ]);
  });

  it("CPT-01 CPT-04 do not come for a look at what is there, and nothing is loaded for it", () => {
    using plugins = pluginFolder({
      "index.js": `const face = require("@hermes/compat/hermes-state");
        const looks = ["isDiskFullError" in face, Object.hasOwn(face, "SessionDB"), Object.keys(face).length > 9,
          face.__esModule, face.then === undefined, face.noSuchName === undefined,
          require("util").inspect(face).includes("SessionDB: [Getter]"),
          Object.getOwnPropertyDescriptor(face, "SessionDB").enumerable];
        console.log(looks.every(Boolean), Object.keys(require.cache).filter((file) => file.endsWith(".js")).length);`,
    });
    // The plugin itself is the one file.
    expect(plugins.node("warn", "./index.js")).toEqual({ lines: ["true 1"], stderr: "", code: 0 });
  });

  it("CPT-04 come for each name that a copy of all of them reads", () => {
    using plugins = pluginFolder({
      "index.js":
        'const face = require("@hermes/compat/session-store"); Object.keys({ ...face }); JSON.stringify(face);',
    });
    expect(plugins.node("warn", "./index.js").lines.map((line) => line.split(" ")[0])).toEqual([
      "HSC0102",
      "HSC0104",
      "HSC0105",
      "HSC0103",
    ]);
  });
});

describe("reportUse", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const use = (name: string, warnsFrom: string | null): DeprecatedName => ({
    code: "HSC9999",
    entry: "e",
    name,
    replacement: "another",
    removal: null,
    warnsFrom,
  });
  const SITE = { plugin: "p", file: "/p/index.js", line: 1 };

  it("CPT-04 says nothing of a name before the day from which it warns", () => {
    vi.stubEnv("HERMES_STATE_COMPAT", "throw");
    const heard: string[] = [];
    const end = onCompatUse(({ name }) => heard.push(name));
    reportUse(use("later", "9999-12-31"), SITE);
    reportUse(use("never", null), SITE);
    expect(() => reportUse(use("now", "2000-01-01"), SITE)).toThrow(/STATE_E_DEPRECATED_NAME|is deprecated/);
    end();
    expect(heard).toEqual(["now"]);
  });

  it("CPT-04 tells every listener, also after one that throws, and none that has ended", () => {
    vi.stubEnv("HERMES_STATE_COMPAT", "silent");
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const heard: string[] = [];
    const ends = [
      onCompatUse(() => {
        throw new Error("the host is broken");
      }),
      onCompatUse(({ name, plugin, line }) => heard.push(`${name} ${plugin ?? ""} ${line ?? 0}`)),
    ];
    reportUse(use("first", "2000-01-01"), SITE);
    reportUse(use("first", "2000-01-01"), SITE);
    expect(warn).toHaveBeenCalledTimes(1);
    for (const end of ends) end();
    reportUse(use("second", "2000-01-01"), SITE);
    expect(heard).toEqual(["first p 1"]);
  });

  it("CPT-04 hears of a listener that fails later, or that is no error at all, and goes on", async () => {
    vi.stubEnv("HERMES_STATE_COMPAT", "silent");
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const ends = [
      onCompatUse(() => Promise.reject(new Error("later"))),
      onCompatUse(() => {
        throw Object.create(null);
      }),
    ];
    reportUse(use("third", "2000-01-01"), SITE);
    await Promise.resolve();
    for (const end of ends) end();
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it("CPT-04 tells one function as often as it was given, and a new listener from the next use on", () => {
    vi.stubEnv("HERMES_STATE_COMPAT", "silent");
    const ends: (() => void)[] = [];
    const heard: string[] = [];
    const listener = ({ name }: DeprecatedName): void => {
      heard.push(name);
      if (heard.length < 9) ends.push(onCompatUse(listener));
    };
    const [first, second] = [onCompatUse(listener), onCompatUse(listener)];
    first();
    first();
    reportUse(use("fourth", "2000-01-01"), SITE);
    expect(heard).toEqual(["fourth"]);
    second();
    for (const end of ends) end();
    reportUse(use("fifth", "2000-01-01"), SITE);
    expect(heard).toEqual(["fourth"]);
  });
});

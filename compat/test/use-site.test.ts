import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginFolder } from "./support/plugin-folder.js";

const FACE = 'const face = require("@hermes/compat/hermes-state");\n';

/** A plugin whose second line uses a name. */
const USES = `${FACE}face.isDiskFullError;\n`;

/** Where a plugin of one file is said to use the name. */
function told(folder: string, name: string | undefined, text: string, ...args: string[]): readonly string[] {
  const file = join(folder, "index.js");
  using plugins = pluginFolder({
    [file]: text,
    ...(name === undefined ? {} : { [join(folder, "package.json")]: JSON.stringify({ name }) }),
  });
  const { lines, stderr } = plugins.node("warn", ...args, `./${file}`);
  return [...lines.map((line) => line.replace(join(plugins.path, folder), "<folder>")), ...(stderr ? [stderr] : [])];
}

describe("the place of a use", () => {
  it.each([
    ["node_modules/clock", "clock"],
    ["node_modules/@scope/clock", "@scope/clock"],
    ["plugins/plain", "plain"],
    ["sp ace %20 ünï#?é", "strange"],
    ["plugins/none", undefined],
  ])("CPT-04 is the package and the line of a plugin in %s", (folder, name) => {
    const owner = name ?? "the-host";
    expect(told(folder, name, USES)).toEqual([`HSC0020 Used by ${owner} at <folder>/index.js:2`]);
  });

  it("CPT-04 is the real folder of a plugin behind a link", () => {
    using plugins = pluginFolder({ "elsewhere/index.js": USES, "elsewhere/package.json": '{"name":"linked"}' });
    symlinkSync(join(plugins.path, "elsewhere"), join(plugins.path, "node_modules/linked"));
    const { lines } = plugins.node("warn", "-e", 'require("linked")');
    expect(lines).toEqual([`HSC0020 Used by linked at ${join(plugins.path, "elsewhere/index.js")}:2`]);
  });

  it("CPT-04 is the package whose package.json begins with a byte order mark", () => {
    using plugins = pluginFolder({ "marked/index.js": USES, "marked/package.json": '\uFEFF{"name":"marked"}' });
    const { lines } = plugins.node("warn", "./marked/index.js");
    expect(lines).toEqual([`HSC0020 Used by marked at ${join(plugins.path, "marked/index.js")}:2`]);
  });

  it.each([
    ["eval", 'eval("face.isDiskFullError");'],
    ["code without a file", 'require("vm").runInNewContext("face.isDiskFullError", { face });'],
    ["code under a name", 'require("vm").runInThisContext("(f) => f.isDiskFullError", { filename: "a name" })(face);'],
    ["code of a bundler", 'eval("face.isDiskFullError //# sourceURL=webpack-internal:///./src/index.js");'],
    [
      "code of another machine",
      'require("vm").runInThisContext("(f) => f.isDiskFullError", { filename: "file://elsewhere/x.js" })(face);',
    ],
    ["a deep stack", "(function deep(n) { if (n) deep(n - 1); else face.isDiskFullError; })(200);"],
  ])("CPT-04 is the file that runs it for %s", (_what, code) => {
    expect(told("made", "made", `${FACE}${code}\n`)).toEqual(["HSC0020 Used by made at <folder>/index.js:2"]);
  });

  it.each([
    ["a stack of its own", 'Error.prepareStackTrace = () => "mine"; Error.stackTraceLimit = 0;'],
    ["a limit that is no number", 'Error.stackTraceLimit = "none";'],
    [
      "an accessor",
      `let mine = () => "mine"; const get = () => mine; const set = (next) => { mine = next; };
       Object.defineProperty(Error, "prepareStackTrace", { get, set, configurable: true });`,
    ],
  ])("CPT-04 is found, and all is as before, where a library gives Error %s", (_what, before) => {
    const state = `JSON.stringify([Object.entries(Object.getOwnPropertyDescriptors(Error)),
      String(Error.prepareStackTrace), new Error().stack])`;
    const text = `${before.replaceAll("\n", " ")} ${FACE}const was = ${state.replaceAll("\n", " ")}; face.isDiskFullError;
      console.log(was === ${state});`;
    expect(told("own", "own", text)).toEqual(["true", "HSC0020 Used by own at <folder>/index.js:2"]);
  });

  it.each([
    ["frozen", "Object.freeze(Error);"],
    ["closed", 'Object.defineProperty(Error, "prepareStackTrace", { get: () => () => "mine", configurable: false });'],
  ])("CPT-04 is not known where Error is %s; the name is there all the same", (_what, before) => {
    const text = `${before}\n${FACE}console.log(typeof face.isDiskFullError);`;
    expect(told("own", "own", text)).toEqual(["function", "HSC0020 It is not known where it was used."]);
  });
});

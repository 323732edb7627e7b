import { describe, expect, it } from "vitest";
import { NameBook } from "../src/analyser/compat-name.js";
import { found, FOUND, keptName } from "./support/name-books.js";

const find = (text: string, file?: string): string[] => found(FOUND, text, file);

const S = '"@hermes/compat/hermes-state"';

describe("every form of a use", () => {
  const forms: readonly (readonly [string, string, readonly string[], string?])[] = [
    ["a static import", `import { oldName } from ${S};`, ["1 import oldName"]],
    ["an import under another name", `import { SessionDB, oldName as x } from ${S};`, ["1 import oldName"]],
    [
      "a type-only import",
      `import type { oldName } from ${S};\nimport { type other } from ${S};`,
      ["1 import oldName", "2 import other"],
    ],
    ["a string name", `import { "oldName" as x } from ${S};`, ["1 import oldName"]],
    ["an import over several lines", `import {\n  SessionDB,\n  oldName,\n} from ${S};`, ["3 import oldName"]],
    ["a namespace", `import * as hs from ${S};\nhs.oldName();\nhs["other"];`, ["2 import oldName", "3 import other"]],
    ["a default import of CommonJS", `import hs from ${S};\nhs.oldName();`, ["2 import oldName"]],
    ["a namespace taken apart", `import * as hs from ${S};\nconst { oldName, ...rest } = hs;`, ["2 import oldName"]],
    ["a namespace under another name", `import * as a from ${S};\nconst b = a;\nb.oldName;`, ["3 import oldName"]],
    ["a namespace as JSX", `import * as hs from ${S};\nconst x = <hs.oldName />;`, ["2 import oldName"], "plugin.tsx"],
    ["a re-export", `export { oldName as y } from ${S};`, ["1 re-export oldName"]],
    ["a re-export of all", `export * from ${S};\nexport * as z from ${S};`, ["1 re-export *", "2 re-export *"]],
    ["an import for its effect", `import ${S};`, ["1 import *"]],
    ["a dynamic import", `const { oldName: o } = await import(${S});`, ["1 dynamic import oldName"]],
    ["a member of a dynamic import", `(await import(${S})).oldName();`, ["1 dynamic import oldName"]],
    ["a dynamic import that is kept", `const m = await import(${S});\nm.oldName;`, ["2 import oldName"]],
    ["then with a parameter", `import(${S}).then((m) => m.oldName);`, ["1 import oldName"]],
    ["then with a pattern", `import(${S}).then(({ oldName }) => oldName);`, ["1 dynamic import oldName"]],
    ["require", `const { oldName } = require(${S});`, ["1 require oldName"], "plugin.cjs"],
    ["a member of require", `module.exports = require(${S}).oldName;`, ["1 require oldName"], "plugin.cjs"],
    ["a require that is kept", `let hs;\nhs = require(${S});\nhs.oldName;`, ["3 import oldName"], "plugin.js"],
    [
      "a require that was made",
      `import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\nload(${S}).oldName;`,
      ["3 require oldName"],
    ],
    [
      "a template without holes",
      "require(`@hermes/compat/hermes-state`).oldName;",
      ["1 require oldName"],
      "plugin.cjs",
    ],
    [
      "import = require",
      `import hs = require(${S});\nhs.oldName;\nlet t: hs.other;`,
      ["2 import oldName", "3 import type other"],
    ],
    [
      "an import type",
      `let x: import(${S}).oldName;\nlet y: typeof import(${S});`,
      ["1 import type oldName", "2 import type *"],
    ],
    ["a JSDoc type", `/** @type {import(${S}).oldName} */\nlet x;`, ["1 JSDoc oldName"], "plugin.js"],
    [
      "a JSDoc import",
      `/** @import { oldName, other as o } from ${S} */`,
      ["1 JSDoc oldName", "1 JSDoc other"],
      "plugin.js",
    ],
    ["a mock", `vi.mock(${S}, () => ({}));\njest.doMock(${S});`, ["1 mock *", "2 mock *"]],
    [
      "what a mock imports",
      `const { oldName } = await vi.importActual(${S});\njest.requireActual(${S}).other;`,
      ["1 dynamic import oldName", "2 require other"],
    ],
    ["a resolve call", `require.resolve(${S});`, ["1 mock *"], "plugin.cjs"],
    ["import.meta.resolve", `import.meta.resolve(${S});`, ["1 mock *"]],
    ["a name given as text", `import * as hs from ${S};\nvi.spyOn(hs, "oldName");`, ["2 string oldName"]],
    [
      "an exact dotted string",
      'patch("hermes-state.oldName");\npatch("@hermes/compat/gateway/session.OldClass");',
      ["1 string oldName", "2 string OldClass"],
    ],
    [
      "a script with a return",
      `const hs = require(${S});\nif (!hs) return;\nhs.oldName;`,
      ["3 import oldName"],
      "plugin.cjs",
    ],
  ];
  for (const [title, text, expected, file] of forms) {
    it(`CPT-05 finds ${title}`, () => expect(find(text, file)).toEqual(expected));
  }
});

describe("near misses", () => {
  const misses: readonly (readonly [string, string, string?])[] = [
    ["a stable name", `import { SessionDB } from ${S};\nimport * as hs from ${S};\nhs.SessionDB;`],
    ["another module", 'import { oldName } from "@hermes/state-core";'],
    ["a longer specifier", 'import { oldName } from "@hermes/compat/hermes-state-extra";'],
    [
      "a relative import",
      'import { oldName } from "./hermes-state";\nimport { oldName as b } from "../@hermes/compat/hermes-state";',
    ],
    ["a name that the entry point does not have", `import { nothing } from ${S};\nrequire(${S}).nothing;`],
    ["the same member of another object", `import * as hs from ${S};\nconst other = {};\nother.oldName; a.hs.oldName;`],
    [
      "a shadowed namespace",
      `import * as hs from ${S};\nfunction f(hs) { return hs.oldName; }\n{ const hs = {}; hs.oldName; }`,
    ],
    ["a shadowed require", `function f(require) { return require(${S}).oldName; }`],
    ["a require of one's own", `const require = (x) => ({});\nrequire(${S}).oldName;`],
    [
      "a longer string",
      'say("hermes-state.oldName is gone"); say("my-hermes-state.oldName"); say("hermes-state.oldNames");',
    ],
    ["a comment", `// import { oldName } from ${S}\n/* require(${S}).oldName */\n/** see hermes-state.oldName */`],
    ["a computed member", `import * as hs from ${S};\nhs[oldName]; hs[\`\${x}oldName\`];`],
    ["a key of an object", 'const x = { oldName: 1, "hermes-state": 2 };'],
  ];
  for (const [title, text, file] of misses) {
    it(`CPT-05 leaves ${title} alone`, () => expect(find(text, file)).toEqual([]));
  }

  it("CPT-05 CPT-06 leaves a file alone that is no program", () => {
    expect(find("import { oldName from")).toEqual(["(not parsed)"]);
  });
});

describe("the lint of a tree", () => {
  const ALL = new NameBook([keptName("SessionDB", "stable")], "all");
  it.each([
    ["stable names", `import { SessionDB } from ${S};`, ["1 import SessionDB"]],
    ["a namespace that is not used", `import * as hs from ${S};`, ["1 import *"]],
    ["an entry point without a record", 'import { loadPlugins } from "@hermes/compat/host";', ["1 import *"]],
    ["an import for its effect", 'import "@hermes/compat/register";', ["1 import *"]],
    ["the package itself", 'import("@hermes/compat");', ["1 dynamic import *"]],
    ["a type", 'let plugin: import("@hermes/compat/eslint").CompatPlugin;', ["1 string *"]],
    ["a JSDoc type", '/** @type {import("@hermes/compat/host").PluginPhase} */\nlet phase;', ["1 JSDoc PluginPhase"]],
    ["a name that is loaded later", 'const LAYER = "@hermes/compat/cli";', ["1 string *"]],
  ])("CPT-05 counts %s", (_what, text, hits) => expect(found(ALL, text)).toEqual(hits));

  it.each([
    ["what a function of the same name gets", 'function f(require) { require("@hermes/compat/host"); }'],
    ["a longer name", 'import x from "@hermes/compat-extras/hermes-state";'],
    ["a relative one", 'import x from "./@hermes/compat/hermes-state.js";'],
    ["a sentence", 'say("@hermes/compat/hermes-state is removed");'],
    ["a comment", '// import x from "@hermes/compat/host"'],
  ])("CPT-05 passes %s", (_what, text) => expect(found(ALL, text)).toEqual([]));
});

describe("a module that has a name", () => {
  const after = (text: string): string => `const hs = require(${S});\n${text}`;
  it.each([
    ["an argument", "register(hs);"],
    ["a part of an object", "register({ ...hs });"],
    ["a property", "const all = { state: hs };"],
    ["a short property", "const all = { hs };"],
    ["an item", "const all = [hs];"],
    ["what a function returns", "function state() { return hs; }"],
    ["what an arrow returns", "const state = () => hs;"],
    ["what a constructor gets", "new Plugin(hs);"],
  ])("CPT-05 CPT-06 is used as a whole where it is %s", (_what, text) => {
    expect(find(after(text), "plugin.cjs")).toEqual(["2 import *"]);
  });

  it.each([
    ["asked for", "if (hs) go();"],
    ["taken a stable name of", "new hs.SessionDB();"],
    ["compared", "hs === other;"],
    ["another thing of the same name", "function f(hs) { return g(hs); }"],
    ["the name of a property", "const all = { hs: 1 };"],
    ["a key of a pattern", "const { hs: other } = all; g(other);"],
    ["asked for its kind", "typeof hs;"],
  ])("CPT-05 CPT-06 is not where it is %s", (_what, text) => {
    expect(find(after(text), "plugin.cjs")).toEqual([]);
  });
});

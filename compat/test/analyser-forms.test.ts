import { describe, expect, it } from "vitest";
import { found, FOUND } from "./support/name-books.js";

const S = '"@hermes/compat/hermes-state"';

const find = (text: string, file?: string): string[] => found(FOUND, text, file);

type Forms = readonly (readonly [title: string, text: string, hits: readonly string[], file?: string])[];

/** Other ways to write a load, and to keep what it brings. */
const LOADS: Forms = [
  ["module.require", `module.require(${S}).oldName;`, ["1 require oldName"], "p.cjs"],
  ["require under another name", `const load = require;\nload(${S}).oldName;`, ["2 require oldName"], "p.cjs"],
  [
    "createRequire under another name",
    `import { createRequire as make } from "module";\nconst load = make(import.meta.url);\nload(${S}).oldName;`,
    ["3 require oldName"],
  ],
  [
    "createRequire of a module",
    `import m from "module";\nconst require = m.createRequire(import.meta.url);\nrequire(${S}).oldName;`,
    ["3 require oldName"],
  ],
  ["createRequire called at once", `createRequire(import.meta.url)(${S}).oldName;`, ["1 require oldName"]],
  ["a resolve of a made require", `createRequire(import.meta.url).resolve(${S});`, ["1 mock *"]],
  ["a promise that is kept", `const p = import(${S});\n(await p).oldName;`, ["2 dynamic import oldName"]],
  ["then of a kept promise", `const p = import(${S});\np.then(({ oldName }) => 1);`, ["2 dynamic import oldName"]],
  ["an optional member", `require(${S})?.oldName?.();`, ["1 require oldName"], "p.cjs"],
  ["a cast", `(require(${S}) as any).oldName;\n(<any>require(${S})).other;`, ["1 import oldName", "2 import other"]],
  ["a choice", `const hs = x ? require(${S}) : {};\nhs.oldName;`, ["2 import oldName"], "p.cjs"],
  ["a kept choice", `let c;\nconst hs = c ?? (c = require(${S}));\nhs.oldName;`, ["3 import oldName"], "p.cjs"],
  ["a sequence", `(0, require(${S})).oldName;`, ["1 import oldName"], "p.cjs"],
  ["a default that is taken out", `const { default: hs } = await import(${S});\nhs.oldName;`, ["2 import oldName"]],
  ["names of a default", `const { default: { oldName } } = await import(${S});`, ["1 dynamic import oldName"]],
  ["a default of a parameter", `function f({ oldName } = require(${S})) {}`, ["1 require oldName"], "p.cjs"],
  ["a parameter that is a module", `function f(hs = require(${S})) { hs.oldName; }`, ["1 import oldName"], "p.cjs"],
  ["an assignment to a pattern", `let a;\n({ oldName: a } = require(${S}));`, ["2 require oldName"], "p.cjs"],
  [
    "the output of a compiler",
    `const hs_1 = __importStar(require(${S}));\n(0, hs_1.oldName)();\nvar x = tslib_1.__importDefault(require(${S}));\nx.default.other;`,
    ["2 import oldName", "4 import other"],
    "p.cjs",
  ],
  [
    "a closing tag",
    `import * as hs from ${S};\n<hs.oldName>x</hs.oldName>;`,
    ["2 import oldName", "2 import oldName"],
    "p.tsx",
  ],
  ["another name by import", `import hs = require(${S});\nimport b = hs;\nb.oldName;`, ["3 import oldName"]],
  ["a member by import", `import hs = require(${S});\nimport b = hs.oldName;`, ["2 import type oldName"]],
  ["an indexed type", `import type * as hs from ${S};\nlet a: (typeof hs)["oldName"];`, ["2 import type oldName"]],
  ["a query of a type", `import * as hs from ${S};\nlet a: typeof hs.oldName;`, ["2 import type oldName"]],
  [
    "a base class",
    `import * as hs from ${S};\nclass A extends hs.oldName implements hs.other {}`,
    ["2 import oldName", "2 import other"],
  ],
  ["a decorator", `import * as hs from ${S};\n@hs.oldName()\nclass A {}`, ["2 import oldName"]],
  ["an enum", `import * as hs from ${S};\nenum E { A = hs.oldName }`, ["2 import oldName"]],
  [
    "a namespace of TypeScript",
    `import * as hs from ${S};\nnamespace N { export const a = hs.oldName; }`,
    ["2 import oldName"],
  ],
  ["satisfies", `import * as hs from ${S};\nconst a = hs.oldName satisfies unknown;`, ["2 import oldName"]],
  ["using", `import * as hs from ${S};\n{ using a = hs.oldName(); }`, ["2 import oldName"]],
  ["a question for a name", `import * as hs from ${S};\n"oldName" in hs;`, ["2 string oldName"]],
  ["a kept name in .mts", `import { oldName } from ${S};`, ["1 import oldName"], "p.mts"],
  ["a kept name in .cts", `import hs = require(${S});\nhs.oldName;`, ["2 import oldName"], "p.cts"],
  ["a kept name in .jsx", `import { oldName } from ${S};\n<a b={oldName} />;`, ["1 import oldName"], "p.jsx"],
  ["a file with a byte order mark", `\uFEFFimport { oldName } from ${S};`, ["1 import oldName"], "p.js"],
  ["CRLF and emoji", `// 😀\r\nimport { oldName } from ${S};\r\n`, ["2 import oldName"], "p.js"],
];

/** A module that goes where no name of it can be followed. */
const WHOLES: Forms = [
  ["a re-export of CommonJS", `module.exports = require(${S});`, ["1 require *"], "p.cjs"],
  ["a star of a compiler", `__exportStar(require(${S}), exports);`, ["1 require *"], "p.cjs"],
  ["a load for its effect", `require(${S});\nawait import(${S});`, ["1 require *", "2 dynamic import *"], "p.mjs"],
  ["a load that is returned", `const f = () => import(${S});`, ["1 dynamic import *"]],
  ["a spread", `module.exports = { ...require(${S}) };`, ["1 require *"], "p.cjs"],
  [
    "a namespace that is exported",
    `import * as hs from ${S};\nexport { hs };\nexport default hs;`,
    ["2 re-export *", "3 re-export *"],
  ],
  ["a name that is exported", `export const hs = await import(${S});`, ["1 re-export *"]],
  ["an exported import", `export import hs = require(${S});`, ["1 re-export *"]],
  ["the default", `export { default } from ${S};`, ["1 re-export *"]],
  ["a mock of an import", `vi.mock(import(${S}), () => ({}));`, ["1 mock *"]],
  ["a mock of node:test", `t.mock.module(${S}, {});\njest.unstable_mockModule(${S});`, ["1 mock *", "2 mock *"]],
  ["more of a module", `declare module ${S} { export interface Own {} }`, ["1 import type *"]],
];

/** What looks like a use. */
const MISSES: Forms = [
  ["a require that is a property", `x.require(${S}).oldName;`, [], "p.cjs"],
  ["a module of one's own", `function f(module) { module.require(${S}).oldName; }`, [], "p.cjs"],
  ["the same load of another module", 'const hs = __importStar(require("x"));\nhs.oldName;', [], "p.cjs"],
  ["a question for another object", `import * as hs from ${S};\n"oldName" in {};`, []],
  ["a shadowed parameter", `import { SessionDB } from ${S};\nconst f = ({ oldName }) => oldName;`, []],
  ["a text with the import", "const a = \"import { oldName } from '@hermes/compat/hermes-state'\";", []],
  ["a template with holes", "const a = `hermes-state.${'oldName'}`;", []],
  ["a stable name of a load", `const { SessionDB } = require(${S});`, [], "p.cjs"],
];

describe("other ways of a use", () => {
  for (const [title, text, expected, file] of LOADS) {
    it(`CPT-05 finds a name through ${title}`, () => expect(find(text, file)).toEqual(expected));
  }
  for (const [title, text, expected, file] of WHOLES) {
    it(`CPT-05 counts the whole module for ${title}`, () => expect(find(text, file)).toEqual(expected));
  }
  for (const [title, text, , file] of MISSES) {
    it(`CPT-05 passes by ${title}`, () => expect(find(text, file)).toEqual([]));
  }
});

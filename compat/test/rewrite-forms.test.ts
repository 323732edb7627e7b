import { describe, expect, it } from "vitest";
import { rewriteSource } from "../src/analyser/rewrite-source.js";
import { MOVED } from "./support/name-books.js";

const S = '"@hermes/compat/hermes-state"';
const CORE = '"@hermes/state-core"';
const SCHEMA = '"@hermes/state-schema"';

type Cases = readonly (readonly [title: string, before: string, after: string, file?: string])[];

/** What stands around a name and beside it. */
const KEPT: Cases = [
  [
    "comments among names that stay",
    `import { /* a */ classify, // b\n  SessionDB, /* c */ } from ${S}; // d`,
    `import { /* a */ // b\n  SessionDB, /* c */ } from ${S};\nimport { classify } from ${CORE}; // d`,
  ],
  [
    "comments among names that all move",
    `import {\n  // why\n  classify, // b\n} from ${S};`,
    `import {\n  // why\n  classify, // b\n} from ${CORE};`,
  ],
  [
    "a comment between two names",
    `import { classify /* x */ as c } from ${S};`,
    `import { classify /* x */ as c } from ${CORE};`,
  ],
  [
    "attributes",
    `import { classify } from ${S} with { type: "x" };`,
    `import { classify } from ${CORE} with { type: "x" };`,
  ],
  ["an exported string", `export { classify as "a-b" } from ${S};`, `export { classify as "a-b" } from ${CORE};`],
  [
    "an exported default",
    `export { escapeLike as default } from ${S};`,
    `export { likeEscape as default } from ${CORE};`,
  ],
  [
    "the ends of lines, and a directive",
    `"use strict";\r\nconst { classify, SessionDB } = require(${S});\r\n`,
    `"use strict";\r\nconst { SessionDB } = require(${S});\r\nconst { classify } = require(${CORE});\r\n`,
    "p.cjs",
  ],
  [
    "the margin of a block",
    `function f() {\n  const { classify, SessionDB } = require(${S});\n}`,
    `function f() {\n  const { SessionDB } = require(${S});\n  const { classify } = require(${CORE});\n}`,
    "p.cjs",
  ],
  [
    "a byte order mark",
    `\uFEFF// 😀\nimport { escapeLike as e } from ${S};`,
    `\uFEFF// 😀\nimport { likeEscape as e } from ${CORE};`,
  ],
  [
    "comments of a pattern",
    `const {\n  classify, // needed\n  SessionDB,\n} = require(${S});`,
    `const {\n  // needed\n  SessionDB,\n} = require(${S});\nconst { classify } = require(${CORE});`,
    "p.cjs",
  ],
];

/** Where two statements would not mean what one meant. */
const PLACES: Cases = [
  [
    "an exported pattern",
    `export const { classify, SessionDB } = await import(${S});`,
    `export const { SessionDB } = await import(${S}), { classify } = await import(${CORE});`,
  ],
  [
    "an exported module",
    `export const hs = await import(${S});\nhs.classify();`,
    `export const hs = await import(${S});\nconst hsStateCore = await import(${CORE});\nhsStateCore.classify();`,
  ],
  [
    "a declaration behind a condition",
    `if (x) var { classify, SessionDB } = require(${S});`,
    `if (x) var { SessionDB } = require(${S}), { classify } = require(${CORE});`,
    "p.cjs",
  ],
  [
    "the head of a loop",
    `for (const { classify, SessionDB } = require(${S}); ; ) {}`,
    `for (const { SessionDB } = require(${S}), { classify } = require(${CORE}); ; ) {}`,
    "p.cjs",
  ],
  [
    "a declaration of several",
    `const a = 1, { classify, SessionDB } = require(${S}), b = 2;`,
    `const a = 1, { SessionDB } = require(${S}), { classify } = require(${CORE}), b = 2;`,
    "p.cjs",
  ],
  [
    "a module among several",
    `const fs = require("fs"), hs = require(${S});\nhs.escapeLike("x");`,
    `const fs = require("fs"), hsStateCore = require(${CORE});\nhsStateCore.likeEscape("x");`,
    "p.cjs",
  ],
  [
    "a late module",
    `let hs;\nhs = require(${S});\nhs.classify();`,
    `let hs;\nhs = require(${CORE});\nhs.classify();`,
    "p.cjs",
  ],
  [
    "an assignment",
    `let a;\n({ escapeLike: a } = require(${S}));`,
    `let a;\n({ likeEscape: a } = require(${CORE}));`,
    "p.cjs",
  ],
  [
    "an assignment of several",
    `let a, b\n;({ classify: a, SessionDB: b } = require(${S}))`,
    `let a, b\n;({ SessionDB: b } = require(${S}));\n({ classify: a } = require(${CORE}));`,
    "p.cjs",
  ],
  [
    "a default of a parameter",
    `function f({ classify } = require(${S})) {}`,
    `function f({ classify } = require(${CORE})) {}`,
    "p.cjs",
  ],
  ["a callback", `import(${S}).then((m) => m.escapeLike("x"));`, `import(${CORE}).then((m) => m.likeEscape("x"));`],
  [
    "a pattern of a callback",
    `import(${S}).then(({ escapeLike }) => 1);`,
    `import(${CORE}).then(({ likeEscape: escapeLike }) => 1);`,
  ],
];

/** Other ways to read a module. */
const READS: Cases = [
  [
    "a module taken apart later",
    `import * as hs from ${S};\nconst { escapeLike } = hs;`,
    `import * as hsStateCore from ${CORE};\nconst { likeEscape: escapeLike } = hsStateCore;`,
  ],
  [
    "a module taken apart, and what stays",
    `import * as hs from ${S};\nconst { classify, SCHEMA_VERSION, SessionDB } = hs;`,
    `import * as hs from ${S};\nimport * as hsStateCore from ${CORE};\nimport * as hsStateSchema from ${SCHEMA};\nconst { SessionDB } = hs;\nconst { classify } = hsStateCore;\nconst { SCHEMA_VERSION } = hsStateSchema;`,
  ],
  ["a cast", `(require(${S}) as any).escapeLike;`, `(require(${CORE}) as any).likeEscape;`],
  [
    "a cast of a module",
    `import * as hs from ${S};\n(hs as any).classify;`,
    `import * as hsStateCore from ${CORE};\n(hsStateCore as any).classify;`,
  ],
  ["an optional member", `require(${S})?.escapeLike?.("x");`, `require(${CORE})?.likeEscape?.("x");`, "p.cjs"],
  [
    "the output of a compiler",
    `const hs_1 = __importStar(require(${S}));\n(0, hs_1.classify)();`,
    `const hs_1StateCore = __importStar(require(${CORE}));\n(0, hs_1StateCore.classify)();`,
    "p.cjs",
  ],
  [
    "a default beside names",
    `import hs, { classify } from ${S};\nhs.SCHEMA_VERSION;`,
    `import * as hsStateSchema from ${SCHEMA};\nimport { classify } from ${CORE};\nhsStateSchema.SCHEMA_VERSION;`,
  ],
  [
    "a default beside a namespace",
    `import hs, * as ns from ${S};\nhs.classify(ns.SCHEMA_VERSION);`,
    `import * as nsStateSchema from ${SCHEMA};\nimport * as hsStateCore from ${CORE};\nhsStateCore.classify(nsStateSchema.SCHEMA_VERSION);`,
  ],
  [
    "a default by its name",
    `import { default as hs, SessionDB } from ${S};\nhs.classify();`,
    `import { SessionDB } from ${S};\nimport * as hsStateCore from ${CORE};\nhsStateCore.classify();`,
  ],
  [
    "one load inside of another",
    `const { classify = require(${S}).escapeLike } = require(${S});`,
    `const { classify = require(${CORE}).likeEscape } = require(${CORE});`,
    "p.cjs",
  ],
  [
    "tags",
    `import * as hs from ${S};\n<hs.classify>x</hs.classify>;`,
    `import * as hsStateCore from ${CORE};\n<hsStateCore.classify>x</hsStateCore.classify>;`,
    "p.tsx",
  ],
  [
    "a JSDoc import",
    `/**\n * @import { escapeLike, SessionDB } from ${S}\n */`,
    `/**\n * @import { SessionDB } from ${S}\n * @import { likeEscape as escapeLike } from ${CORE}\n */`,
    "p.js",
  ],
];

/** What would mean something else. */
const LEFT: readonly (readonly [title: string, text: string, file?: string])[] = [
  ["a module that is set again", `let hs = require(${S});\nhs = {};\nhs.classify();`, "p.cjs"],
  ["a name that is set", `const hs = require(${S});\nhs.classify = 1;\ndelete hs.escapeLike;`, "p.cjs"],
  ["a pattern with a type of its own", `const { classify }: Own = require(${S});`],
  ["a late module of two homes", `let hs;\nhs = require(${S});\nhs.classify(hs.SCHEMA_VERSION);`, "p.cjs"],
];

describe("a rewrite of what stands otherwise", () => {
  for (const [title, before, after, file = "p.ts"] of [...KEPT, ...PLACES, ...READS]) {
    it(`CPT-06 rewrites ${title}, and nothing the second time`, () => {
      const once = rewriteSource(file, before, MOVED);
      expect(once).toBe(after);
      expect(rewriteSource(file, once, MOVED)).toBe(once);
    });
  }

  for (const [title, text, file = "p.ts"] of LEFT) {
    it(`CPT-06 leaves ${title} to a person`, () => expect(rewriteSource(file, text, MOVED)).toBe(text));
  }
});

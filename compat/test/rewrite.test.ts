import { describe, expect, it } from "vitest";
import { findHits } from "../src/analyser/find-hits.js";
import { parseSource } from "../src/analyser/parse-source.js";
import { rewriteSource } from "../src/analyser/rewrite-source.js";
import { IndexedTree } from "../src/analyser/source-tree.js";
import { MOVED } from "./support/name-books.js";

const S = '"@hermes/compat/hermes-state"';
const CORE = '"@hermes/state-core"';
const SCHEMA = '"@hermes/state-schema"';

const cases: readonly (readonly [title: string, before: string, after: string, file?: string])[] = [
  ["an import", `import { classify } from ${S};`, `import { classify } from ${CORE};`],
  [
    "a name that is called otherwise now",
    `import { escapeLike } from ${S};`,
    `import { likeEscape as escapeLike } from ${CORE};`,
  ],
  ["a name under the new one", `import { escapeLike as likeEscape } from ${S}`, `import { likeEscape } from ${CORE}`],
  [
    "names of several homes, and what stays",
    `import { classify as c, SCHEMA_VERSION, SessionDB, workspaceKey } from ${S};`,
    `import { SessionDB, workspaceKey } from ${S};\nimport { classify as c } from ${CORE};\nimport { SCHEMA_VERSION } from ${SCHEMA};`,
  ],
  [
    "single quotes",
    "import { classify } from '@hermes/compat/hermes-state';",
    "import { classify } from '@hermes/state-core';",
  ],
  ["types", `import type { classify } from ${S};`, `import type { classify } from ${CORE};`],
  ["an inline type", `import { type classify } from ${S};`, `import { type classify } from ${CORE};`],
  [
    "a re-export",
    `export { classify, escapeLike as x } from ${S};`,
    `export { classify, likeEscape as x } from ${CORE};`,
  ],
  [
    "a re-export under its old name",
    `export { escapeLike } from ${S};`,
    `export { likeEscape as escapeLike } from ${CORE};`,
  ],
  [
    "require",
    `const { classify, escapeLike: e } = require(${S});`,
    `const { classify, likeEscape: e } = require(${CORE});`,
    "p.cjs",
  ],
  [
    "require of what stays too",
    `var { escapeLike, SessionDB = 1 } = require(${S})`,
    `var { SessionDB = 1 } = require(${S})\nvar { likeEscape: escapeLike } = require(${CORE})`,
    "p.cjs",
  ],
  ["a dynamic import", `const { classify } = await import(${S});`, `const { classify } = await import(${CORE});`],
  ["a member of require", `const c = require(${S}).escapeLike;`, `const c = require(${CORE}).likeEscape;`, "p.cjs"],
  [
    "a member of a dynamic import",
    `(await import(${S}))["escapeLike"]("%");`,
    `(await import(${CORE}))["likeEscape"]("%");`,
  ],
  [
    "a namespace that nothing else needs",
    `import * as hs from ${S};\nhs.classify(hs.SCHEMA_VERSION);`,
    `import * as hsStateCore from ${CORE};\nimport * as hsStateSchema from ${SCHEMA};\nhsStateCore.classify(hsStateSchema.SCHEMA_VERSION);`,
  ],
  [
    "a namespace that stays, beside a taken name",
    `import * as hs from ${S};\nconst hsStateCore = 1;\nhs.escapeLike(new hs.SessionDB());`,
    `import * as hs from ${S};\nimport * as hsStateCore2 from ${CORE};\nconst hsStateCore = 1;\nhsStateCore2.likeEscape(new hs.SessionDB());`,
  ],
  [
    "a default import",
    `import hs from ${S};\nhs.classify();`,
    `import * as hsStateCore from ${CORE};\nhsStateCore.classify();`,
  ],
  [
    "a kept require",
    `const hs = require(${S});\nhs.escapeLike("x");`,
    `const hsStateCore = require(${CORE});\nhsStateCore.likeEscape("x");`,
    "p.cjs",
  ],
  [
    "import = require",
    `import hs = require(${S});\nhs.classify();`,
    `import hsStateCore = require(${CORE});\nhsStateCore.classify();`,
  ],
  ["an import type", `let x: import(${S}).escapeLike;`, `let x: import(${CORE}).likeEscape;`],
  [
    "a JSDoc type",
    `/** @type {typeof import(${S}).escapeLike} */\nlet x;`,
    `/** @type {typeof import(${CORE}).likeEscape} */\nlet x;`,
    "p.js",
  ],
];

const untouched: readonly (readonly [string, string, string?])[] = [
  ["a name that a person has to replace", `import { workspaceKey } from ${S};`],
  ["a pattern with a rest", `const { classify, ...rest } = require(${S});`, "p.cjs"],
  ["a whole re-export", `export * from ${S};`],
  ["a mock", `vi.mock(${S});`],
  ["a dotted string", 'patch("hermes-state.classify");'],
  ["a shadowed name", `import * as hs from ${S};\nfunction f(hs) { return hs.classify; }`],
  ["a file that is no program", `import { classify from ${S}`],
];

describe("a rewrite", () => {
  for (const [title, before, after, file = "p.ts"] of cases) {
    it(`CPT-06 leads ${title} to the focused packages, and changes nothing the second time`, () => {
      const once = rewriteSource(file, before, MOVED);
      expect(once).toBe(after);
      expect(rewriteSource(file, once, MOVED)).toBe(once);
      const hits = findHits(new IndexedTree(parseSource(file, once)!), MOVED);
      const left = hits.filter((hit) => hit.record?.target?.package);
      expect(left).toEqual([]);
    });
  }

  for (const [title, text, file = "p.ts"] of untouched) {
    it(`CPT-06 leaves ${title} as it is`, () => expect(rewriteSource(file, text, MOVED)).toBe(text));
  }

  it("CPT-06 keeps comments, spaces and the rest of a file byte by byte", () => {
    const before = `// head\r\nimport a from "a"; // keep\r\nimport { classify } from ${S};\r\n\r\n\tclassify( 1 ) // tail\r\n`;
    expect(rewriteSource("p.ts", before, MOVED)).toBe(before.replace(S, CORE));
  });
});

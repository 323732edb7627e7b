import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { plugin } from "../src/eslint/index.js";

const S = '"@hermes/compat/hermes-state"';

function config(typescript: boolean, options: object = {}): Linter.Config[] {
  return [
    {
      files: ["**/*.{js,cjs,mjs,ts,tsx}"],
      plugins: { compat: plugin as never },
      rules: { "compat/no-deprecated-names": ["error", options] },
      languageOptions: typescript ? { parser: tseslint.parser } : { sourceType: "module" },
    },
  ];
}

function lint(text: string, file: string, options?: object): string[] {
  const linter = new Linter();
  const messages = linter.verify(text, config(file.endsWith(".ts"), options), file);
  return messages.map(({ line, messageId, message }) => `${String(line)} ${messageId ?? message}`);
}

describe("the ESLint rule", () => {
  it("CPT-05 sees what the scanner sees, with the parser of JavaScript and that of TypeScript", () => {
    const text = `import { classifyPersistenceError, SessionDB } from ${S};\nimport * as hs from ${S};\nhs.PERSISTENCE_ERROR_CAUSES;\nfunction f(hs) { return hs.PERSISTENCE_ERROR_CAUSES; }`;
    for (const file of ["a.js", "a.ts"]) expect(lint(text, file)).toEqual(["1 name", "3 name"]);
    expect(lint(`const { isDiskFullError } = require(${S});\nvi.mock(${S});`, "a.cjs")).toEqual(["1 name", "2 module"]);
    expect(lint(`import hs = require(${S});\nlet x: import(${S}).WalUnsupportedError = hs.T;`, "a.ts")).toEqual([
      "2 name",
      "2 name",
    ]);
    expect(lint(`/** @type {import(${S}).WalUnsupportedError} */\nlet x; /* ${S} */`, "a.js")).toEqual(["1 name"]);
  });

  it("CPT-05 leaves near misses alone, and counts stable names only where all use is meant", () => {
    const text = `import { SessionDB } from ${S};\nconst o = {}; o.classifyPersistenceError; say("hermes-state.T is gone");`;
    expect(lint(text, "a.js")).toEqual([]);
    expect(lint(text, "a.js", { wanted: "all" })).toEqual(["1 name"]);
  });

  it("CPT-05 CPT-06 rewrites as the command does", () => {
    const linter = new Linter();
    const before = `import * as hs from ${S};\nimport { classifyPersistenceError as c } from ${S};\nc(hs.PERSISTENCE_ERROR_CAUSES);\n`;
    const { output, messages } = linter.verifyAndFix(before, config(false), { filename: "a.js" });
    expect(messages).toEqual([]);
    expect(output).toBe(
      'import * as hsStateCore from "@hermes/state-core";\nimport { classifyPersistenceError as c } from "@hermes/state-core";\nc(hsStateCore.PERSISTENCE_CAUSES);\n',
    );
  });
});

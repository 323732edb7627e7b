import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ESLint } from "eslint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

describe("the policy rules", () => {
  const BODY: readonly (readonly [rule: string, text: string])[] = [
    ["no-restricted-globals", 'export const f = (): void => { console.log("x"); };\n'],
    ["no-restricted-properties", "export const f = (): number => Date.now();\n"],
    ["no-restricted-syntax", "export const f = (): Date => new Date();\n"],
    ["no-restricted-syntax", "export const f = (): string => Date();\n"],
    ["no-restricted-properties", "export const f = (): number => Math.random();\n"],
    ["no-restricted-properties", "export const f = (): number => performance.now();\n"],
    ["no-restricted-properties", "const { now } = Date;\nexport const f = (): number => now();\n"],
    ["no-restricted-properties", "export const f = (): number => globalThis.Date.now();\n"],
    ["no-restricted-imports", 'import { randomUUID } from "node:crypto";\nexport const f = randomUUID;\n'],
    ["no-restricted-properties", "export const f = (): string | undefined => process.env.HOME;\n"],
    ["no-restricted-imports", 'import { env } from "node:process";\nexport const f = (): unknown => env.HOME;\n'],
    ["no-restricted-imports", 'import Database from "better-sqlite3";\nexport const f = (): unknown => Database;\n'],
    ["no-restricted-imports", 'import type Database from "better-sqlite3";\nexport type Db = Database;\n'],
    ["no-restricted-syntax", 'export const f = (): Promise<unknown> => import("better-sqlite3");\n'],
    ["no-restricted-imports", 'import { old } from "@hermes/compat";\nexport const f = (): unknown => old;\n'],
    ["no-restricted-syntax", 'export const f = (): Promise<unknown> => import("@hermes/compat/state");\n'],
    ["no-restricted-imports", 'import { x } from "@hermes/state-schema/internal/x.js";\nexport const f = x;\n'],
    ["no-restricted-syntax", "const f = 1;\nexport default f;\n"],
    ["no-restricted-syntax", "const f = 1;\nexport { f as default };\n"],
    ["no-restricted-syntax", "export enum Kind { A }\n"],
    ["no-restricted-syntax", "export namespace Kind { export const a = 1; }\n"],
    ["no-restricted-syntax", 'export const LIST_SQL = "SELECT * FROM sessions";\n'],
    ["no-restricted-syntax", "export const LIST_SQL = `\n  select *\n  FROM sessions`;\n"],
    ["hermes/no-silent-catch", "export const f = (g: () => void): void => { try { g(); } catch {} };\n"],
    ["hermes/no-silent-catch", "export const f = (p: Promise<void>): void => { p.catch(() => {}); };\n"],
    ["hermes/no-top-level-await", "export const f: number = await Promise.resolve(1);\n"],
    ["max-len", `// ${"x".repeat(120)}\nexport const f = 1;\n`],
  ];
  const allowed: Readonly<Record<string, string>> = {
    "packages/state-core/src/clock/machine.ts": "export const f = (): number => Date.now() + Math.random();\n",
    "packages/state-core/src/config/home.ts": "export const f = (): string | undefined => process.env.HOME;\n",
    "packages/state-core/src/driver/open.ts": 'export type Db = typeof import("better-sqlite3");\n',
    "packages/state-cli/src/output/print.ts": "export const f = (text: string): void => { console.log(text); };\n",
    "packages/state-core/src/dates.ts": "export const f = (ms: number): Date => new Date(ms);\n",
    "packages/state-core/src/swallow.ts":
      "export const f = (g: () => void): void => {\n" +
      "  try {\n    g();\n  } catch {\n    // The file is gone, which is what was asked.\n  }\n};\n",
    "packages/state-core/src/later.ts": "export const f = async (): Promise<number> => await Promise.resolve(1);\n",
    "packages/state-core/src/count.ts": 'export const COUNT_SQL = "SELECT count(*) FROM sessions";\n',
    "packages/state-core/tsup.config.ts": "const config = {};\nexport default config;\n",
  };
  const cases = BODY.map(([rule, text], index) => {
    return [rule, text.trim(), `packages/state-core/src/planted-${index}.ts`] as const;
  });

  let tree = "";
  const found = new Map<string, string[]>();
  beforeAll(async () => {
    const planted = Object.fromEntries(cases.map(([, , file], index) => [file, BODY[index]![1]]));
    tree = plantTree({ ...planted, ...allowed });
    const eslint = new ESLint({ cwd: tree, overrideConfigFile: join(repositoryRoot, "eslint.config.js") });
    for (const result of await eslint.lintFiles(["packages"])) {
      const rules = result.messages.map((message) => message.ruleId ?? message.message);
      found.set(relative(tree, result.filePath), rules);
    }
  }, 120_000);
  afterAll(() => {
    rmSync(tree, { recursive: true, force: true });
  });

  it.each(cases)("%s reports %j", (rule, _text, file) => {
    expect(found.get(file)).toContain(rule);
  });

  it.each(Object.keys(allowed))("pass where the rule is at home: %s", (file) => {
    expect(found.get(file)?.filter((rule) => /^(?:no-restricted|hermes\/)/.test(rule))).toEqual([]);
  });
});

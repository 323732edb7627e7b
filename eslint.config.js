import js from "@eslint/js";
import tsdoc from "eslint-plugin-tsdoc";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { noSilentCatch } from "./scripts/lint/no-silent-catch.js";
import { noTopLevelAwait } from "./scripts/lint/no-top-level-await.js";
import { policy } from "./scripts/lint/policy.js";

const TESTS = ["**/*.test.ts", "{packages/*,compat,examples/*}/test/**/*.ts", "packages/testkit/**/*.ts"];
const NODE_GLOBALS = ["console", "process", "Buffer", "URL", "module", "setTimeout", "clearTimeout", "performance"];
const CONFIG_FILES = ["*.config.ts", "{packages/*,compat,examples/*}/*.config.ts"];

const LINE = { code: 120, ignoreUrls: true, ignoreRegExpLiterals: true };

const house = { rules: { "no-silent-catch": noSilentCatch, "no-top-level-await": noTopLevelAwait } };

export default defineConfig(
  { ignores: ["**/dist/**", "compat/entries/**", "**/.turbo/**", "**/coverage/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    rules: {
      "max-len": ["error", LINE],
      quotes: ["error", "double", { avoidEscape: true }],
      semi: "error",
      eqeqeq: "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])),
    },
  },
  // What people said stays as they said it.
  { files: ["fixtures/**"], rules: { "max-len": "off" } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { tsdoc, hermes: house },
    rules: {
      "tsdoc/syntax": "error",
      // A function that fits a screen can be read; a file beyond 400 lines owes its reader a reason for the exception.
      "max-lines": ["error", { max: 400 }],
      "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
      // Counts and ids belong in messages as they are.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      // `reader.all<SessionRow>(SQL)`: the type parameter names the shape of the selected columns, used once or not.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  { files: ["{packages/*,compat}/src/**/*.ts"], rules: policy() },
  { files: ["packages/state-core/src/clock/**/*.ts"], rules: policy(["clock"]) },
  { files: ["{packages/*,compat}/src/config/**/*.ts"], rules: policy(["env"]) },
  { files: ["compat/src/runtime/today.ts"], rules: policy(["clock"]) },
  { files: ["packages/state-core/src/driver/**/*.ts"], rules: policy(["driver"]) },
  { files: ["packages/state-cli/src/output/**/*.ts"], rules: policy(["print"]) },
  {
    files: TESTS,
    rules: {
      ...policy(["clock", "env", "driver", "sql", "print"]),
      "hermes/no-top-level-await": "off",
      // A suite is one long function by nature, and its fixtures know what they hold.
      // A planted row or a title reads best in one piece.
      "max-len": ["error", { ...LINE, ignoreStrings: true, ignoreTemplateLiterals: true }],
      "max-lines": "off",
      "max-lines-per-function": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  { files: ["packages/bench/**/*.ts"], rules: policy(["clock", "driver", "print"]) },
  { files: CONFIG_FILES, rules: policy(["defaultExport", "env"]) },
);

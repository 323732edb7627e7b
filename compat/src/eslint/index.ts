import type { ScopeManager } from "@typescript-eslint/scope-manager";
import type { TextEdit } from "../analyser/compat-hit.js";
import { NameBook } from "../analyser/compat-name.js";
import type { CompatName, Wanted } from "../analyser/compat-name.js";
import { findHits } from "../analyser/find-hits.js";
import { fixesOf } from "../analyser/rewrite-source.js";
import { IndexedTree } from "../analyser/source-tree.js";
import type { SourceTree, SyntaxComment, SyntaxNode } from "../analyser/source-tree.js";
import { loadNames } from "../scan/load-names.js";
import { pluginHit } from "../scan/plugin-hit.js";

/** As much of ESLint's source as the rule reads. */
interface LintedSource {
  readonly text: string;
  readonly ast: unknown;
  readonly scopeManager: unknown;
  readonly visitorKeys: Readonly<Record<string, readonly string[]>>;
  getAllComments(): readonly unknown[];
}

interface Fixer {
  replaceTextRange(range: [number, number], text: string): unknown;
}

interface Report {
  readonly loc: { readonly line: number; readonly column: number };
  readonly messageId: string;
  readonly data: Readonly<Record<string, string>>;
  readonly fix: ((fixer: Fixer) => unknown[]) | null;
}

/** As much of ESLint's context as the rule uses. */
interface RuleContext {
  readonly sourceCode: LintedSource;
  readonly options: readonly { readonly wanted?: Wanted; readonly records?: readonly CompatName[] }[];
  report(report: Report): void;
}

function treeOf(source: LintedSource): SourceTree {
  return {
    text: source.text,
    program: source.ast as SyntaxNode,
    comments: source.getAllComments() as readonly SyntaxComment[],
    scopes: source.scopeManager as ScopeManager,
    childKeys: source.visitorKeys,
  };
}

function fixer(edits: readonly TextEdit[]): Report["fix"] {
  if (edits.length === 0) return null;
  return (fix) => edits.map(({ range, text }) => fix.replaceTextRange([range[0], range[1]], text));
}

function check(context: RuleContext): void {
  const { wanted = "deprecated", records = loadNames() } = context.options[0] ?? {};
  const index = new IndexedTree(treeOf(context.sourceCode));
  const hits = findHits(index, new NameBook(records, wanted));
  const edits = fixesOf(index, hits);
  hits.forEach((hit, at) => {
    const { old, new: instead } = pluginHit("", hit);
    context.report({
      loc: { line: hit.line, column: hit.column - 1 },
      messageId: hit.record ? "name" : "module",
      data: { old, instead, removal: hit.record?.removal ?? "", code: hit.record?.code ?? "" },
      // One change of the whole file: parts of it depend on one another.
      fix: at === 0 ? fixer(edits) : null,
    });
  });
}

/** A rule that finds every use of a name of the compat layer which does not stay, in every form (CPT-05). */
const noDeprecatedNames = {
  meta: {
    type: "suggestion",
    fixable: "code",
    docs: { description: "names of @hermes/compat that do not stay" },
    messages: {
      name: "{{code}}: {{old}} is removed on {{removal}}. Use {{instead}}.",
      module: "{{old}} is used as a whole, and names of it do not stay. Use {{instead}}.",
    },
    schema: [
      {
        type: "object",
        additionalProperties: false,
        properties: { wanted: { enum: ["deprecated", "all"] }, records: { type: "array" } },
      },
    ],
  },
  create: (context: RuleContext): { readonly "Program:exit": () => void } => ({
    "Program:exit": () => {
      check(context);
    },
  }),
};

/** What ESLint takes as a plugin. */
export interface CompatPlugin {
  readonly meta: { readonly name: string };
  readonly rules: Readonly<Record<"no-deprecated-names", object>>;
}

/**
 * The ESLint plugin.
 *
 * @example
 * ```js
 * import { plugin } from "@hermes/compat/eslint";
 * export default [{ plugins: { "hermes-compat": plugin }, rules: { "hermes-compat/no-deprecated-names": "error" } }];
 * ```
 */
export const plugin: CompatPlugin = {
  meta: { name: "@hermes/compat" },
  rules: { "no-deprecated-names": noDeprecatedNames },
};

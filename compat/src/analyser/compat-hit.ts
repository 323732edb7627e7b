import type { CompatName } from "./compat-name.js";
import type { SyntaxNode } from "./source-tree.js";

/** How a name is used: what a rewrite has to do with it. */
export type UseForm =
  | "import"
  | "re-export"
  | "dynamic import"
  | "require"
  | "import = require"
  | "import type"
  | "JSDoc"
  | "mock"
  | "string";

/** A change of a text: what stands between two offsets gives way to another text. */
export interface TextEdit {
  readonly range: readonly [number, number];
  readonly text: string;
}

/** One use of a name of the compat layer in a file. */
export interface CompatHit {
  readonly entry: string;
  /** `*` for a use of the whole module. */
  readonly name: string;
  /** Null for the whole module. */
  readonly record: CompatName | null;
  readonly form: UseForm;
  /** Offsets in the text. */
  readonly range: readonly [number, number];
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The syntax of the use; absent in a comment. */
  readonly node?: SyntaxNode;
}

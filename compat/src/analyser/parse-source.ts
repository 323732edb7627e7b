import { analyze } from "@typescript-eslint/scope-manager";
import { visitorKeys } from "@typescript-eslint/visitor-keys";
import { parseSync } from "oxc-parser";
import { nestsTooDeep } from "./nesting.js";
import type { SourceTree, SyntaxComment, SyntaxNode } from "./source-tree.js";

const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Whether a file name says that it holds JavaScript or TypeScript. */
export function isCode(file: string): boolean {
  return CODE.test(file);
}

/** JSX in a plain .js file is common; in .ts it would change what `<T>x` means. */
function languageOf(file: string): "jsx" | "tsx" | "ts" {
  if (file.endsWith(".tsx")) return "tsx";
  return /\.[cm]?ts$/.test(file) ? "ts" : "jsx";
}

type SourceType = "commonjs" | "module";

interface Parsed {
  readonly sourceType: SourceType;
  readonly program: unknown;
  readonly comments: readonly SyntaxComment[];
}

function parseAs(sourceType: SourceType, file: string, text: string): Parsed | undefined {
  const options = { lang: languageOf(file), sourceType, astType: "ts", range: true, preserveParens: false } as const;
  const { program, comments, errors } = parseSync(file, text, options);
  if (errors.some(({ severity }: { readonly severity: string }) => severity === "Error")) return undefined;
  const placed = comments.map(({ type, value, start, end }): SyntaxComment => ({ type, value, range: [start, end] }));
  return { sourceType, program, comments: placed };
}

/** A file may be of the other kind than its name says: a .js file of a package without a type is either. */
function parse(file: string, text: string): Parsed | undefined {
  if (nestsTooDeep(text)) return undefined;
  const kinds: readonly SourceType[] = /\.c[jt]s$/.test(file) ? ["commonjs", "module"] : ["module", "commonjs"];
  for (const kind of kinds) {
    const parsed = parseAs(kind, file, text);
    if (parsed) return parsed;
  }
  return undefined;
}

function scopesOf({ program, sourceType }: Parsed): SourceTree["scopes"] {
  return analyze(program as never, {
    sourceType: sourceType === "module" ? "module" : "script",
    globalReturn: sourceType === "commonjs",
    childVisitorKeys: visitorKeys,
  });
}

/**
 * Parses a file of a plugin without running any of it.
 *
 * @returns Undefined for what is no valid JavaScript or TypeScript: such a file cannot be loaded either. The same for
 *   what nests deeper than a program does.
 */
export function parseSource(file: string, text: string): SourceTree | undefined {
  try {
    const parsed = parse(file, text);
    if (!parsed) return undefined;
    const { program, comments } = parsed;
    return { text, program: program as SyntaxNode, comments, scopes: scopesOf(parsed), childKeys: visitorKeys };
  } catch {
    // A parser that gives up is told the same as by its errors.
    return undefined;
  }
}

import { child, children, textOf } from "../source-tree.js";
import type { SyntaxNode } from "../source-tree.js";

/** The string that names the module in `require("x")`, `import("x")` or `await import("x")`. */
export function moduleSource(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (node?.type === "AwaitExpression") return moduleSource(child(node, "argument"));
  if (node?.type === "ImportExpression") return child(node, "source");
  const first = node?.type === "CallExpression" ? children(node, "arguments")[0] : undefined;
  return textOf(first) === undefined ? undefined : first;
}

/** The expression with another module in it, quotes and all else as they were. */
export function withSource(text: string, node: SyntaxNode, source: SyntaxNode, module: string): string {
  const quote = text.charAt(source.range[0]);
  const [before, after] = [text.slice(node.range[0], source.range[0]), text.slice(source.range[1], node.range[1])];
  return `${before}${quote}${module}${quote}${after}`;
}

import type { TextEdit } from "../compat-hit.js";
import { child, children, textOf } from "../source-tree.js";
import type { SyntaxNode } from "../source-tree.js";

const AROUND: Readonly<Record<string, string | undefined>> = {
  AwaitExpression: "argument",
  ChainExpression: "expression",
  TSAsExpression: "expression",
  TSNonNullExpression: "expression",
  TSSatisfiesExpression: "expression",
  TSTypeAssertion: "expression",
};

/** What stands inside of `await`, of casts and of what a chain of `?.` is kept in. */
export function unwrapped(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const key = node && AROUND[node.type];
  return node && key !== undefined ? unwrapped(child(node, key)) : node;
}

/** The string that names the module in `require("x")`, `await import("x")` and what compilers make of them. */
export function moduleSource(value: SyntaxNode | undefined): SyntaxNode | undefined {
  const node = unwrapped(value);
  if (node?.type === "ImportExpression") return child(node, "source");
  const first = node?.type === "CallExpression" ? children(node, "arguments")[0] : undefined;
  if (first?.type === "CallExpression") return moduleSource(first);
  return textOf(first) === undefined ? undefined : first;
}

/** Another text between the quotes of a string. */
export function quoted(text: string, node: SyntaxNode, value: string): TextEdit {
  const quote = text.charAt(node.range[0]);
  return { range: node.range, text: `${quote}${value}${quote}` };
}

/** The expression with another module in it, quotes and all else as they were. */
export function withSource(text: string, node: SyntaxNode, source: SyntaxNode, module: string): string {
  const [before, after] = [text.slice(node.range[0], source.range[0]), text.slice(source.range[1], node.range[1])];
  return `${before}${quoted(text, source, module).text}${after}`;
}

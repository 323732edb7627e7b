import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { moduleSource } from "./module-source.js";
import { newHome } from "./movable.js";

function quoted(text: string, node: SyntaxNode, value: string): TextEdit {
  const quote = text.charAt(node.range[0]);
  return { range: node.range, text: `${quote}${value}${quote}` };
}

/** The name behind the dot, or the string in the brackets. */
export function renameProperty(text: string, member: SyntaxNode, name: string): TextEdit[] {
  const property = child(member, "property") ?? child(member, "right");
  if (!property) return [];
  return [member["computed"] === true ? quoted(text, property, name) : { range: property.range, text: name }];
}

/** `require("x").X` and `(await import("x")).X`: the module and the name. */
function fixMember(text: string, hit: CompatHit): TextEdit[] {
  const home = newHome(hit);
  const source = moduleSource(hit.node && child(hit.node, "object"));
  if (!home || !hit.node || !source) return [];
  return [quoted(text, source, home.package), ...renameProperty(text, hit.node, home.export)];
}

/** `import("x").X` where a type stands: the module and the first name. */
function fixImportType(text: string, hit: CompatHit): TextEdit[] {
  const home = newHome(hit);
  const node = hit.node as SyntaxNode;
  const source = child(node, "source") ?? child(node, "argument");
  const literal = source?.type === "TSLiteralType" ? child(source, "literal") : source;
  let name = child(node, "qualifier");
  while (name?.type === "TSQualifiedName") name = child(name, "left");
  if (!home || !literal || !name) return [];
  return [quoted(text, literal, home.package), { range: name.range, text: home.export }];
}

/** `import("x").X` in a comment. */
function fixComment(text: string, hit: CompatHit): TextEdit[] {
  const home = newHome(hit);
  const match = /^(import\(\s*["'])[^"']+(["']\s*\)\s*\.\s*)[\w$]+$/.exec(text.slice(...hit.range));
  if (!home || !match) return [];
  return [{ range: hit.range, text: `${match[1] ?? ""}${home.package}${match[2] ?? ""}${home.export}` }];
}

/** Rewrites uses that name the module and the name in one expression. */
export function fixMembers(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const { text } = index.tree;
  return hits.flatMap((hit) => {
    if (!hit.node) return fixComment(text, hit);
    if (hit.node.type === "TSImportType") return fixImportType(text, hit);
    return hit.node.type === "MemberExpression" ? fixMember(text, hit) : [];
  });
}

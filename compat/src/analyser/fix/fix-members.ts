import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { moduleSource, quoted } from "./module-source.js";
import { newHome } from "./movable.js";
import type { Fix } from "./movable.js";

/** The name behind the dot, or the string in the brackets. */
export function renameProperty(text: string, member: SyntaxNode, name: string): TextEdit[] {
  const property = child(member, "property") ?? child(member, "right");
  if (!property) return [];
  return [member["computed"] === true ? quoted(text, property, name) : { range: property.range, text: name }];
}

/** Whether a member is set or deleted: a focused package does not let itself be changed. */
export function isWritten(index: IndexedTree, member: SyntaxNode): boolean {
  const parent = index.parent(member);
  if (parent?.type === "ChainExpression") return isWritten(index, parent);
  if (parent?.type === "UpdateExpression") return true;
  if (parent?.type === "UnaryExpression") return parent["operator"] === "delete";
  return parent?.type === "AssignmentExpression" && child(parent, "left") === member;
}

/** `require("x").X` and `(await import("x")).X`: the module and the name. */
function fixMember(index: IndexedTree, hit: CompatHit): Fix {
  const home = newHome(hit);
  const source = moduleSource(hit.node && child(hit.node, "object"));
  if (!home || !hit.node || !source || isWritten(index, hit.node)) return [];
  const { text } = index.tree;
  return [quoted(text, source, home.package), ...renameProperty(text, hit.node, home.export)];
}

/** `import("x").X` where a type stands: the module and the first name. */
function fixImportType(text: string, hit: CompatHit): Fix {
  const home = newHome(hit);
  const node = hit.node as SyntaxNode;
  const source = child(node, "source") ?? child(node, "argument");
  const literal = source?.type === "TSLiteralType" ? child(source, "literal") : source;
  let name = child(node, "qualifier");
  while (name?.type === "TSQualifiedName") name = child(name, "left");
  if (!home || !literal || !name) return [];
  return [quoted(text, literal, home.package), { range: name.range, text: home.export }];
}

/** Rewrites uses that name the module and the name in one expression. */
export function fixMembers(index: IndexedTree, hits: readonly CompatHit[]): Fix[] {
  return hits.map((hit) => {
    if (hit.node?.type === "TSImportType") return fixImportType(index.tree.text, hit);
    return hit.node?.type === "MemberExpression" ? fixMember(index, hit) : [];
  });
}

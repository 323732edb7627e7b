import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child, children, nameOf } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { byPackage, newHome } from "./movable.js";
import { moduleSource, withSource } from "./module-source.js";

/** `const { X } = require("x")` alone in its statement, with nothing that gathers the rest. */
interface Statement {
  readonly declaration: SyntaxNode;
  readonly pattern: SyntaxNode;
  readonly value: SyntaxNode;
  readonly source: SyntaxNode;
}

function statementOf(index: IndexedTree, property: SyntaxNode): Statement | undefined {
  const pattern = index.parent(property);
  const declarator = pattern && index.parent(pattern);
  const declaration = declarator && index.parent(declarator);
  const value = declarator && child(declarator, "init");
  const source = moduleSource(value);
  if (declarator?.type !== "VariableDeclarator" || !declaration || !value || !source) return undefined;
  const alone = children(declaration, "declarations").length === 1;
  const plain = children(pattern, "properties").every(({ type }) => type === "Property");
  return alone && plain ? { declaration, pattern, value, source } : undefined;
}

function propertyText(text: string, hit: CompatHit): string {
  const node = hit.node as SyntaxNode;
  const value = child(node, "value") as SyntaxNode;
  const inner = newHome(hit)?.export ?? hit.name;
  const outer = text.slice(...value.range);
  return nameOf(value) === inner ? inner : `${inner}: ${outer}`;
}

/** Moves properties of a taken-apart module into statements of the focused packages. */
export function fixPatterns(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const { text } = index.tree;
  const statements = new Map<SyntaxNode, { statement: Statement; moving: CompatHit[] }>();
  for (const hit of hits) {
    const statement = hit.node?.type === "Property" && newHome(hit) ? statementOf(index, hit.node) : undefined;
    if (!statement) continue;
    const found = statements.get(statement.declaration) ?? { statement, moving: [] };
    found.moving.push(hit);
    statements.set(statement.declaration, found);
  }
  return [...statements.values()].map(({ statement: { declaration, pattern, value, source }, moving }) => {
    const keyword = String(declaration["kind"]);
    const end = text.slice(...declaration.range).endsWith(";") ? ";" : "";
    const line = (list: string, from: string): string => `${keyword} { ${list} } = ${from}${end}`;
    const moved = new Set(moving.map(({ node }) => node));
    const rest = children(pattern, "properties").filter((property) => !moved.has(property));
    const kept = rest.map(({ range }) => text.slice(...range)).join(", ");
    const lines = [...byPackage(moving)].map(([name, group]) =>
      line(group.map((hit) => propertyText(text, hit)).join(", "), withSource(text, value, source, name)),
    );
    const first = rest.length === 0 ? [] : [line(kept, text.slice(...value.range))];
    return { range: declaration.range, text: [...first, ...lines].join("\n") };
  });
}

import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child, children, nameOf } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { addTo, byPackage, newHome } from "./movable.js";
import type { Fix } from "./movable.js";
import { quoted } from "./module-source.js";
import { endOf, lineBreak, takeOut } from "./text-lists.js";

type Keyword = "import" | "export";

/** The two names of a specifier: that of the other module, and that of this file. */
function namesOf(specifier: SyntaxNode): readonly [SyntaxNode, SyntaxNode] {
  const isImport = specifier.type === "ImportSpecifier";
  const inner = child(specifier, isImport ? "imported" : "local") as SyntaxNode;
  return [inner, child(specifier, isImport ? "local" : "exported") as SyntaxNode];
}

/** Both names as they are written where the new home's is the first one. */
function namesText(text: string, hit: CompatHit): string {
  const outer = namesOf(hit.node as SyntaxNode)[1];
  const name = newHome(hit)?.export ?? hit.name;
  return outer.type === "Identifier" && nameOf(outer) === name ? name : `${name} as ${text.slice(...outer.range)}`;
}

/** The same in its place: where more than `as` stands between the names, the old one alone gives way. */
function renamed(text: string, hit: CompatHit): TextEdit {
  const [inner, outer] = namesOf(hit.node as SyntaxNode);
  const isPlain = /^(?:\s+as\s+)?$/.test(text.slice(inner.range[1], Math.max(inner.range[1], outer.range[0])));
  if (isPlain) return { range: [inner.range[0], outer.range[1]], text: namesText(text, hit) };
  return { range: inner.range, text: newHome(hit)?.export ?? hit.name };
}

/** A declaration of its own for the names that one package has. */
function declarationText(text: string, declaration: SyntaxNode, module: string, group: readonly CompatHit[]): string {
  const keyword: Keyword = declaration.type === "ImportDeclaration" ? "import" : "export";
  const typeOnly = declaration[`${keyword}Kind`] === "type";
  const names = group.map((hit) => {
    const isType = !typeOnly && hit.node?.[`${keyword}Kind`] === "type";
    return `${isType ? "type " : ""}${namesText(text, hit)}`;
  });
  const source = quoted(text, child(declaration, "source") as SyntaxNode, module).text;
  return `${keyword}${typeOnly ? " type" : ""} { ${names.join(", ")} } from ${source}${endOf(text, declaration)}`;
}

/** Takes specifiers out of a declaration that keeps others; braces that hold nothing go too. */
export function withoutSpecifiers(text: string, declaration: SyntaxNode, gone: ReadonlySet<SyntaxNode>): TextEdit[] {
  const all = children(declaration, "specifiers");
  const named = all.filter(({ type }) => type === "ImportSpecifier" || type === "ExportSpecifier");
  const [first] = all;
  if (first && !named.includes(first) && gone.has(first)) {
    const next = text.slice(first.range[1]).search(/[{*]/) + first.range[1];
    return [{ range: [first.range[0], next], text: "" }];
  }
  const [, second] = all;
  if (first && second?.type === "ImportNamespaceSpecifier" && gone.has(second)) {
    return [{ range: [first.range[1], second.range[1]], text: "" }];
  }
  const source = child(declaration, "source") as SyntaxNode;
  const close = text.lastIndexOf("}", source.range[0]);
  if (first && !named.includes(first) && named.every((one) => gone.has(one)) && named.length > 0) {
    const range = [first.range[1], close + 1] as const;
    if (!/\/[/*]/.test(text.slice(...range))) return [{ range, text: "" }];
  }
  return takeOut(text, named, gone);
}

function moveSpecifiers(text: string, declaration: SyntaxNode, moving: readonly CompatHit[]): Fix {
  const packages = [...byPackage(moving)];
  const moved = new Set(moving.map(({ node }) => node as SyntaxNode));
  const source = child(declaration, "source") as SyntaxNode;
  const edits: TextEdit[] = [];
  const first = moved.size === children(declaration, "specifiers").length ? packages.shift() : undefined;
  if (first) {
    const [module, group] = first;
    for (const hit of group) {
      moved.delete(hit.node as SyntaxNode);
      edits.push(renamed(text, hit));
    }
    edits.push(quoted(text, source, module));
  }
  edits.push(...withoutSpecifiers(text, declaration, moved));
  const at = declaration.range[1];
  const lines = packages.map(([module, group]) => declarationText(text, declaration, module, group));
  if (lines.length === 0) return edits;
  const added = lines.map((line) => lineBreak(text, declaration.range[0]) + line).join("");
  return [...edits, { range: [at, at], text: added }];
}

/** Moves specifiers of an import or re-export into declarations of the focused packages. */
export function fixImports(index: IndexedTree, hits: readonly CompatHit[]): Fix[] {
  const declarations = new Map<SyntaxNode, CompatHit[]>();
  for (const hit of hits) {
    const type = hit.node?.type;
    if (!hit.node || !newHome(hit) || (type !== "ImportSpecifier" && type !== "ExportSpecifier")) continue;
    const declaration = index.parent(hit.node);
    if (declaration) addTo(declarations, declaration, hit);
  }
  return [...declarations].map(([declaration, moving]) => moveSpecifiers(index.tree.text, declaration, moving));
}

import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child, children, nameOf } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { byPackage, newHome } from "./movable.js";

/** How a declaration is written: its quotes, its end, and whether it is for types alone. */
interface Style {
  readonly keyword: "import" | "export";
  readonly typeOnly: boolean;
  readonly quote: string;
  readonly end: string;
}

function styleOf(declaration: SyntaxNode, text: string): Style {
  const isImport = declaration.type === "ImportDeclaration";
  const source = child(declaration, "source");
  return {
    keyword: isImport ? "import" : "export",
    typeOnly: declaration[isImport ? "importKind" : "exportKind"] === "type",
    quote: source ? text.charAt(source.range[0]) : '"',
    end: text.slice(...declaration.range).endsWith(";") ? ";" : "",
  };
}

function specifierText(hit: CompatHit, style: Style): string {
  const node = hit.node as SyntaxNode;
  const outer = nameOf(child(node, style.keyword === "import" ? "local" : "exported")) ?? hit.name;
  const inner = newHome(hit)?.export ?? hit.name;
  const type = node[style.keyword === "import" ? "importKind" : "exportKind"] === "type" ? "type " : "";
  return `${style.typeOnly ? "" : type}${inner === outer ? inner : `${inner} as ${outer}`}`;
}

/** The declaration without the specifiers that move; empty when none is left. */
function remainder(declaration: SyntaxNode, moved: ReadonlySet<SyntaxNode>, style: Style, text: string): string {
  const rest = children(declaration, "specifiers").filter((specifier) => !moved.has(specifier));
  const source = child(declaration, "source");
  if (rest.length === 0 || !source) return "";
  const named = rest.filter(({ type }) => type === "ImportSpecifier" || type === "ExportSpecifier");
  const parts = rest.filter((specifier) => !named.includes(specifier)).map(({ range }) => text.slice(...range));
  if (named.length > 0) parts.push(`{ ${named.map(({ range }) => text.slice(...range)).join(", ")} }`);
  const type = style.typeOnly ? " type" : "";
  return `${style.keyword}${type} ${parts.join(", ")} from ${text.slice(source.range[0], declaration.range[1])}`;
}

/** Moves specifiers of an import or re-export into declarations of the focused packages. */
export function fixImports(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const { text } = index.tree;
  const declarations = new Map<SyntaxNode, CompatHit[]>();
  for (const hit of hits) {
    const type = hit.node?.type;
    if (!hit.node || !newHome(hit) || (type !== "ImportSpecifier" && type !== "ExportSpecifier")) continue;
    const declaration = index.parent(hit.node);
    if (declaration) declarations.set(declaration, [...(declarations.get(declaration) ?? []), hit]);
  }
  return [...declarations].map(([declaration, moving]) => {
    const style = styleOf(declaration, text);
    const moved = new Set(moving.map(({ node }) => node as SyntaxNode));
    const lines = [...byPackage(moving)].map(([name, group]) => {
      const list = group.map((hit) => specifierText(hit, style)).join(", ");
      const type = style.typeOnly ? " type" : "";
      return `${style.keyword}${type} { ${list} } from ${style.quote}${name}${style.quote}${style.end}`;
    });
    const rest = remainder(declaration, moved, style, text);
    return { range: declaration.range, text: [...(rest === "" ? [] : [rest]), ...lines].join("\n") };
  });
}

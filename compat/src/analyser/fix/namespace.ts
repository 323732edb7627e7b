import type { Variable } from "@typescript-eslint/scope-manager";
import type { TextEdit } from "../compat-hit.js";
import { child, children } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { withoutSpecifiers } from "./fix-imports.js";
import { moduleSource, quoted } from "./module-source.js";
import { isListed } from "./statements.js";
import { endOf, lineBreak } from "./text-lists.js";

/** A whole module under a name of its own, and how others come to stand beside it. */
export interface Namespace {
  /** What makes it. */
  readonly made: SyntaxNode;
  /** Where others are added. */
  readonly at: number;
  readonly separator: string;
  /** The same for another module under another name. */
  readonly write: (name: string, module: string) => string;
  /** Takes it away where others keep standing; absent where it gives way to them, null where it has to stay. */
  readonly remove?: readonly TextEdit[] | null;
}

/** What makes a name, with the name and the module replaced and all else as it was. */
function rewritten(made: SyntaxNode, id: SyntaxNode, source: SyntaxNode, text: string): Namespace["write"] {
  return (name, module) =>
    text.slice(made.range[0], id.range[0]) +
    name +
    text.slice(id.range[1], source.range[0]) +
    quoted(text, source, module).text +
    text.slice(source.range[1], made.range[1]);
}

function ofImport(specifier: SyntaxNode, declaration: SyntaxNode, text: string): Namespace | undefined {
  const source = child(declaration, "source");
  if (!source) return undefined;
  const type = declaration["importKind"] === "type" ? " type" : "";
  const phase = typeof declaration["phase"] === "string" ? ` ${declaration["phase"]}` : "";
  const write = (name: string, module: string): string =>
    `import${type}${phase} * as ${name} from ${quoted(text, source, module).text}${endOf(text, declaration)}`;
  const place = {
    made: declaration,
    at: declaration.range[1],
    separator: lineBreak(text, declaration.range[0]),
    write,
  };
  if (children(declaration, "specifiers").length === 1) return place;
  return { ...place, remove: withoutSpecifiers(text, declaration, new Set([specifier])) };
}

/** A statement that does nothing but make the name, exported or not. */
function ofStatement(index: IndexedTree, made: SyntaxNode, id: SyntaxNode, source: SyntaxNode): Namespace {
  const { text } = index.tree;
  const parent = index.parent(made);
  const exported = parent?.type === "ExportNamedDeclaration";
  const outer = exported ? parent : made;
  const place = { made, at: outer.range[1], separator: lineBreak(text, outer.range[0]) };
  const write = rewritten(made, id, source, text);
  return exported ? { ...place, write, remove: null } : { ...place, write };
}

/** The one place that makes a variable; undefined where it is made otherwise, or more than once. */
export function namespaceOf(index: IndexedTree, variable: Variable): Namespace | undefined {
  const { text } = index.tree;
  const [definition, ...others] = variable.defs;
  const node = definition?.node as SyntaxNode | undefined;
  if (!node || others.length > 0 || variable.references.some((use) => use.isWrite() && !use.init)) return undefined;
  const parent = index.parent(node);
  if (parent?.type === "ImportDeclaration") return ofImport(node, parent, text);
  const id = child(node, "id");
  if (node.type === "TSImportEqualsDeclaration") {
    const reference = child(node, "moduleReference");
    const source = reference && child(reference, "expression");
    return id && source && ofStatement(index, node, id, source);
  }
  const source = moduleSource(child(node, "init"));
  if (parent?.type !== "VariableDeclaration" || id?.type !== "Identifier" || !source) return undefined;
  const exported = index.parent(parent)?.type === "ExportNamedDeclaration";
  const alone = children(parent, "declarations").length === 1;
  if (alone && (exported || isListed(index, parent))) return ofStatement(index, parent, id, source);
  if (exported) return undefined;
  return { made: node, at: node.range[1], separator: ", ", write: rewritten(node, id, source, text) };
}

/** The module of a name that a callback gets, or that is set once after it was declared. */
export function lateSource(index: IndexedTree, variable: Variable): SyntaxNode | undefined {
  const [definition, ...others] = variable.defs;
  const node = definition?.node as SyntaxNode | undefined;
  if (!node || others.length > 0) return undefined;
  const writes = variable.references.filter((use) => use.isWrite());
  if (children(node, "params")[0] === definition?.name && writes.length === 0) {
    const callee = child(index.parent(node) as SyntaxNode, "callee");
    return callee && moduleSource(child(callee, "object"));
  }
  const [write, ...more] = writes;
  const assignment = write && index.parent(write.identifier as unknown as SyntaxNode);
  const isSet = assignment?.type === "AssignmentExpression" && more.length === 0;
  return isSet && assignment["operator"] === "=" ? moduleSource(child(assignment, "right")) : undefined;
}

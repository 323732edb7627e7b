import type { Variable } from "@typescript-eslint/scope-manager";
import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child, children } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { renameProperty } from "./fix-members.js";
import { moduleSource } from "./module-source.js";
import { newHome } from "./movable.js";

/** A whole module under a name of its own, and the statement that makes it. */
interface Namespace {
  readonly variable: Variable;
  readonly statement: SyntaxNode;
  /** The statement for another module under another name. */
  readonly write: (name: string, module: string) => string;
}

function stringOf(node: SyntaxNode, text: string): (module: string) => string {
  const quote = text.charAt(node.range[0]);
  return (module) => `${quote}${module}${quote}`;
}

function fromImport(specifier: SyntaxNode, declaration: SyntaxNode, text: string): Namespace["write"] | undefined {
  const source = child(declaration, "source");
  if (!source || children(declaration, "specifiers").length !== 1) return undefined;
  const quote = stringOf(source, text);
  const type = declaration["importKind"] === "type" ? " type" : "";
  const end = text.slice(...declaration.range).endsWith(";") ? ";" : "";
  const whole = specifier.type === "ImportNamespaceSpecifier" || specifier.type === "ImportDefaultSpecifier";
  return whole ? (name, module) => `import${type} * as ${name} from ${quote(module)}${end}` : undefined;
}

/** A statement with the name and the module replaced, all else as it was. */
function rewritten(statement: SyntaxNode, id: SyntaxNode, source: SyntaxNode, text: string): Namespace["write"] {
  const quote = stringOf(source, text);
  return (name, module) =>
    text.slice(statement.range[0], id.range[0]) +
    name +
    text.slice(id.range[1], source.range[0]) +
    quote(module) +
    text.slice(source.range[1], statement.range[1]);
}

function namespaceOf(index: IndexedTree, variable: Variable): Namespace | undefined {
  const { text } = index.tree;
  const [definition, ...others] = variable.defs;
  const node = definition?.node as SyntaxNode | undefined;
  if (!node || others.length > 0) return undefined;
  const parent = index.parent(node);
  if (parent?.type === "ImportDeclaration") {
    const write = fromImport(node, parent, text);
    return write && { variable, statement: parent, write };
  }
  const id = child(node, "id");
  if (node.type === "TSImportEqualsDeclaration") {
    const reference = child(node, "moduleReference");
    const source = reference && child(reference, "expression");
    return id && source && { variable, statement: node, write: rewritten(node, id, source, text) };
  }
  const source = moduleSource(child(node, "init"));
  const alone = parent?.type === "VariableDeclaration" && children(parent, "declarations").length === 1;
  if (!alone || id?.type !== "Identifier" || !source) return undefined;
  return { variable, statement: parent, write: rewritten(parent, id, source, text) };
}

function objectOf(node: SyntaxNode): SyntaxNode | undefined {
  return child(node, "object") ?? child(node, "left");
}

/** `@hermes/state-core` for `hs` is `hsStateCore`, or that with a number where it is taken. */
function freshName(taken: Set<string>, base: string, module: string): string {
  const words = module.replace(/^@hermes\//, "").split("-");
  const name = base + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}${count}`;
  taken.add(free);
  return free;
}

function namesIn(index: IndexedTree): Set<string> {
  return new Set(
    index.tree.scopes.scopes.flatMap(({ variables, through }) => [
      ...variables.map(({ name }) => name),
      ...through.map(({ identifier }) => String((identifier as { readonly name: unknown }).name)),
    ]),
  );
}

/** Leads members of a whole module to whole modules of the focused packages; the old one goes when nobody needs it. */
export function fixNamespaces(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const { text } = index.tree;
  const taken = namesIn(index);
  const groups = new Map<Variable, CompatHit[]>();
  for (const hit of hits) {
    const object = hit.node && objectOf(hit.node);
    const variable = object?.type === "Identifier" || object?.type === "JSXIdentifier" ? index.variable(object) : null;
    if (variable && newHome(hit)) groups.set(variable, [...(groups.get(variable) ?? []), hit]);
  }
  return [...groups].flatMap(([variable, members]) => {
    const namespace = namespaceOf(index, variable);
    if (!namespace) return [];
    const names = new Map<string, string>();
    const edits = members.flatMap((hit): TextEdit[] => {
      const home = newHome(hit);
      const object = objectOf(hit.node as SyntaxNode);
      if (!home || !object) return [];
      const name = names.get(home.package) ?? freshName(taken, variable.name, home.package);
      names.set(home.package, name);
      return [{ range: object.range, text: name }, ...renameProperty(text, hit.node as SyntaxNode, home.export)];
    });
    const reads = variable.references.filter((reference) => !reference.init).length;
    const lines = [...names].map(([module, name]) => namespace.write(name, module));
    const old = text.slice(...namespace.statement.range);
    const kept = reads > members.length ? [old] : [];
    return [...edits, { range: namespace.statement.range, text: [...kept, ...lines].join("\n") }];
  });
}

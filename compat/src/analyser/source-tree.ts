import type { ScopeManager, Variable } from "@typescript-eslint/scope-manager";

/** A node of a syntax tree in the shape that ESLint rules see (ESTree with TypeScript). */
export interface SyntaxNode {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly [key: string]: unknown;
}

/** A comment with its place; the range takes in its marks. */
export interface SyntaxComment {
  readonly type: string;
  readonly value: string;
  readonly range: readonly [number, number];
}

/** A file as the analyser reads it, whoever parsed it. */
export interface SourceTree {
  readonly text: string;
  readonly program: SyntaxNode;
  readonly comments: readonly SyntaxComment[];
  readonly scopes: ScopeManager;
  /** Keys of the children of a node, by type. */
  readonly childKeys: Readonly<Record<string, readonly string[] | undefined>>;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** A child of a node, where there is one. */
export function child(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

/** The children of a node under one key, holes left out. */
export function children(node: SyntaxNode, key: string): readonly SyntaxNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a string, or of a template without holes. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node?.type === "TSLiteralType") return textOf(child(node, "literal"));
  if (node?.type !== "TemplateLiteral" || children(node, "expressions").length > 0) return undefined;
  const value = children(node, "quasis")[0]?.["value"] as { readonly cooked?: string } | undefined;
  return value?.cooked;
}

/** What an identifier, a private-free key or a string calls something. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === "Identifier" || node?.type === "JSXIdentifier") return String(node["name"]);
  return textOf(node);
}

/** The name of a property access, where it is written down. */
export function propertyName(node: SyntaxNode): string | undefined {
  const property = child(node, "property");
  return node["computed"] === true ? textOf(property) : nameOf(property);
}

/** A tree with the ways up and across: the parent of a node, and the variable that an identifier means. */
export class IndexedTree {
  readonly tree: SourceTree;
  readonly #types = new Map<string, SyntaxNode[]>();
  readonly #parents = new Map<SyntaxNode, SyntaxNode>();
  readonly #variables = new Map<unknown, Variable | null>();

  constructor(tree: SourceTree) {
    this.tree = tree;
    this.#walk(tree.program);
    for (const scope of tree.scopes.scopes) {
      for (const { identifier, resolved } of scope.references) this.#variables.set(identifier, resolved);
      for (const variable of scope.variables) {
        for (const { name } of variable.defs) this.#variables.set(name, variable);
      }
    }
  }

  /** The nodes of some types, type by type. */
  ofTypes(types: readonly string[]): readonly SyntaxNode[] {
    return types.flatMap((type) => this.#types.get(type) ?? []);
  }

  parent(node: SyntaxNode): SyntaxNode | undefined {
    return this.#parents.get(node);
  }

  /** The variable that an identifier reads or declares; null where nothing declares it: a global. */
  variable(identifier: SyntaxNode): Variable | null {
    return this.#variables.get(identifier) ?? null;
  }

  /** The variables that a declaring node makes. */
  declared(node: SyntaxNode): readonly Variable[] {
    return this.tree.scopes.getDeclaredVariables(node as never);
  }

  #walk(root: SyntaxNode): void {
    const stack = [root];
    for (let node = stack.pop(); node; node = stack.pop()) {
      const same = this.#types.get(node.type);
      if (same) same.push(node);
      else this.#types.set(node.type, [node]);
      for (const key of this.tree.childKeys[node.type] ?? []) {
        const value = node[key];
        if (Array.isArray(value)) for (const next of value) this.#step(next, node, stack);
        else this.#step(value, node, stack);
      }
    }
  }

  #step(next: unknown, parent: SyntaxNode, stack: SyntaxNode[]): void {
    if (!isNode(next)) return;
    this.#parents.set(next, parent);
    stack.push(next);
  }
}

import type { Variable } from "@typescript-eslint/scope-manager";
import type { NameBook } from "./compat-name.js";
import { externalModule, Loaders } from "./loaders.js";
import { child, children, nameOf, propertyName, textOf } from "./source-tree.js";
import type { IndexedTree, SyntaxNode } from "./source-tree.js";

/** Expressions whose value is that of a part of them, by the keys of the parts. */
const PASSING: Readonly<Record<string, readonly string[] | undefined>> = {
  TSAsExpression: ["expression"],
  TSNonNullExpression: ["expression"],
  TSSatisfiesExpression: ["expression"],
  TSTypeAssertion: ["expression"],
  ChainExpression: ["expression"],
  AssignmentExpression: ["right"],
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["left", "right"],
};

/** Whether a part of an expression gives the whole its value. */
export function passesOn(node: SyntaxNode, part: SyntaxNode): boolean {
  return PASSING[node.type]?.some((key) => node[key] === part) ?? false;
}

/** Which expressions of a file are a module of the compat layer, or will be one. */
export class ModuleValues {
  readonly loaders: Loaders;
  readonly #index: IndexedTree;
  readonly #book: NameBook;
  readonly #bound = new Map<Variable, string>();
  readonly #promised = new Map<Variable, string>();
  readonly #binders: Readonly<Record<string, ((node: SyntaxNode) => void) | undefined>> = {
    ImportDeclaration: (node) => this.#bindImport(node),
    TSImportEqualsDeclaration: (node) => this.#bindAll(node, this.#ofImportEquals(node)),
    VariableDeclarator: (node) => this.#bind(child(node, "id"), child(node, "init")),
    AssignmentExpression: (node) => this.#bind(child(node, "left"), child(node, "right")),
    AssignmentPattern: (node) => this.#bind(child(node, "left"), child(node, "right")),
    CallExpression: (node) => this.#bindCallback(node),
  };

  constructor(index: IndexedTree, book: NameBook) {
    this.#index = index;
    this.#book = book;
    this.loaders = new Loaders(index);
    const binders = [...index.ofTypes(Object.keys(this.#binders))];
    // A name may be bound to a name that is bound further down: there and back until nothing is new.
    for (let before = -1; before !== this.#bound.size + this.#promised.size; binders.reverse()) {
      before = this.#bound.size + this.#promised.size;
      for (const node of binders) this.#binders[node.type]?.(node);
    }
  }

  /** The entry point whose exports an expression is. */
  moduleOf(node: SyntaxNode | undefined): string | undefined {
    if (!node) return undefined;
    for (const key of PASSING[node.type] ?? []) {
      const entry = this.moduleOf(child(node, key));
      if (entry !== undefined) return entry;
    }
    if (node.type === "Identifier" || node.type === "JSXIdentifier") return this.#ofVariable(node, this.#bound);
    if (node.type === "AwaitExpression") return this.promisedBy(child(node, "argument"));
    if (node.type === "SequenceExpression") return this.moduleOf(children(node, "expressions").at(-1));
    if (node.type === "CallExpression") return this.#book.entryOf(textOf(this.loaders.loadedBy(node)));
    if (node.type !== "MemberExpression" || propertyName(node) !== "default") return undefined;
    return this.moduleOf(child(node, "object"));
  }

  /** The entry point whose exports a promise brings. */
  promisedBy(node: SyntaxNode | undefined): string | undefined {
    if (!node) return undefined;
    for (const key of PASSING[node.type] ?? []) {
      const entry = this.promisedBy(child(node, key));
      if (entry !== undefined) return entry;
    }
    if (node.type === "ImportExpression") return this.#book.entryOf(textOf(child(node, "source")));
    if (node.type === "Identifier") return this.#ofVariable(node, this.#promised);
    if (node.type !== "CallExpression" || !this.loaders.isActual(node)) return undefined;
    return this.#book.entryOf(textOf(children(node, "arguments")[0]));
  }

  #ofVariable(identifier: SyntaxNode, variables: ReadonlyMap<Variable, string>): string | undefined {
    const variable = this.#index.variable(identifier);
    return variable ? variables.get(variable) : undefined;
  }

  /** `import x = require("...")`, and `import y = x` for a module that has a name already. */
  #ofImportEquals(node: SyntaxNode): string | undefined {
    return this.#book.entryOf(externalModule(node)) ?? this.moduleOf(child(node, "moduleReference"));
  }

  #bindImport(node: SyntaxNode): void {
    const entry = this.#book.entryOf(textOf(child(node, "source")));
    for (const specifier of children(node, "specifiers")) {
      const whole = specifier.type !== "ImportSpecifier" || nameOf(child(specifier, "imported")) === "default";
      if (whole) this.#bindAll(specifier, entry);
    }
  }

  #bind(target: SyntaxNode | undefined, value: SyntaxNode | undefined): void {
    this.#bindTarget(target, this.moduleOf(value), this.#bound);
    if (target?.type === "Identifier") this.#bindTarget(target, this.promisedBy(value), this.#promised);
  }

  /** A name, or `{ default: name }`. */
  #bindTarget(target: SyntaxNode | undefined, entry: string | undefined, variables: Map<Variable, string>): void {
    if (entry === undefined || !target) return;
    const variable = target.type === "Identifier" ? this.#index.variable(target) : null;
    if (variable) variables.set(variable, entry);
    for (const property of children(target, "properties")) {
      if (nameOf(child(property, "key")) === "default") this.#bindTarget(child(property, "value"), entry, variables);
    }
  }

  /** `import("x").then((module) => ...)`. */
  #bindCallback(call: SyntaxNode): void {
    const callee = child(call, "callee");
    if (callee?.type !== "MemberExpression" || propertyName(callee) !== "then") return;
    const entry = this.promisedBy(child(callee, "object"));
    const callback = children(call, "arguments")[0];
    if (entry !== undefined && callback) this.#bindTarget(children(callback, "params")[0], entry, this.#bound);
  }

  #bindAll(node: SyntaxNode, entry: string | undefined): void {
    if (entry === undefined) return;
    for (const variable of this.#index.declared(node)) this.#bound.set(variable, entry);
  }
}

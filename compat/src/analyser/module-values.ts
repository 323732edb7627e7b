import type { Variable } from "@typescript-eslint/scope-manager";
import type { NameBook } from "./compat-name.js";
import { child, children, nameOf, textOf } from "./source-tree.js";
import type { IndexedTree, SyntaxNode } from "./source-tree.js";

const WRAPPERS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression", "ChainExpression"]);
const TEST_TOOLS = new Set(["vi", "vitest", "jest", "mock"]);
const ACTUAL = new Set(["requireActual", "requireMock", "importActual", "importMock", "unstable_requireActual"]);

/** The name of a property access, where it is written down. */
export function propertyName(node: SyntaxNode): string | undefined {
  const property = child(node, "property");
  return node["computed"] === true ? textOf(property) : nameOf(property);
}

/** Which expressions of a file are a module of the compat layer, or will be one. */
export class ModuleValues {
  readonly #index: IndexedTree;
  readonly #book: NameBook;
  readonly #bound = new Map<Variable, string>();
  readonly #loaders = new Set<Variable>();
  readonly #binders: Readonly<Record<string, ((node: SyntaxNode) => void) | undefined>> = {
    ImportDeclaration: (node) => this.#bindImport(node),
    TSImportEqualsDeclaration: (node) => this.#bindAll(node, this.#book.entryOf(externalModule(node))),
    VariableDeclarator: (node) => this.#bindDeclarator(node),
    AssignmentExpression: (node) => this.#bindIdentifier(child(node, "left"), this.moduleOf(child(node, "right"))),
    CallExpression: (node) => this.#bindCallback(node),
  };

  constructor(index: IndexedTree, book: NameBook) {
    this.#index = index;
    this.#book = book;
    // A name may be bound to a name that is bound further down: once more until nothing is new.
    for (let before = -1; before !== this.#bound.size + this.#loaders.size;) {
      before = this.#bound.size + this.#loaders.size;
      for (const node of index.nodes) this.#binders[node.type]?.(node);
    }
  }

  /** The entry point whose exports an expression is. */
  moduleOf(node: SyntaxNode | undefined): string | undefined {
    if (!node) return undefined;
    if (WRAPPERS.has(node.type)) return this.moduleOf(child(node, "expression"));
    if (node.type === "Identifier" || node.type === "JSXIdentifier") return this.#ofVariable(node);
    if (node.type === "AwaitExpression") return this.promisedBy(child(node, "argument"));
    if (node.type === "CallExpression") return this.#ofCall(node);
    if (node.type !== "MemberExpression" || propertyName(node) !== "default") return undefined;
    return this.moduleOf(child(node, "object"));
  }

  /** The entry point whose exports a promise brings. */
  promisedBy(node: SyntaxNode | undefined): string | undefined {
    if (node?.type === "ImportExpression") return this.#book.entryOf(textOf(child(node, "source")));
    if (node?.type !== "CallExpression" || !this.#isTestTool(node, ACTUAL)) return undefined;
    return this.#book.entryOf(textOf(children(node, "arguments")[0]));
  }

  /** Whether a call is `require` as Node gives it, or made by `createRequire`. */
  isRequire(callee: SyntaxNode | undefined): boolean {
    if (callee?.type !== "Identifier") return false;
    const variable = this.#index.variable(callee);
    if (variable && variable.defs.length > 0) return this.#loaders.has(variable);
    return callee["name"] === "require";
  }

  #isTestTool(call: SyntaxNode, methods: ReadonlySet<string>): boolean {
    const callee = child(call, "callee");
    if (callee?.type !== "MemberExpression") return false;
    const object = nameOf(child(callee, "object"));
    return object !== undefined && TEST_TOOLS.has(object) && methods.has(propertyName(callee) ?? "");
  }

  #ofCall(call: SyntaxNode): string | undefined {
    const loads = this.isRequire(child(call, "callee")) || this.#isTestTool(call, ACTUAL);
    return loads ? this.#book.entryOf(textOf(children(call, "arguments")[0])) : undefined;
  }

  #ofVariable(identifier: SyntaxNode): string | undefined {
    const variable = this.#index.variable(identifier);
    return variable ? this.#bound.get(variable) : undefined;
  }

  #bindImport(node: SyntaxNode): void {
    const entry = this.#book.entryOf(textOf(child(node, "source")));
    for (const specifier of children(node, "specifiers")) {
      const whole = specifier.type !== "ImportSpecifier" || nameOf(child(specifier, "imported")) === "default";
      if (whole) this.#bindAll(specifier, entry);
    }
  }

  #bindDeclarator(node: SyntaxNode): void {
    const [id, init] = [child(node, "id"), child(node, "init")];
    if (id?.type !== "Identifier") return;
    const makesRequire = init?.type === "CallExpression" && nameOf(child(init, "callee")) === "createRequire";
    if (makesRequire) for (const variable of this.#index.declared(node)) this.#loaders.add(variable);
    this.#bindAll(node, this.moduleOf(init));
  }

  /** `import("x").then((module) => ...)`. */
  #bindCallback(call: SyntaxNode): void {
    const callee = child(call, "callee");
    if (callee?.type !== "MemberExpression" || propertyName(callee) !== "then") return;
    const entry = this.promisedBy(child(callee, "object"));
    const callback = children(call, "arguments")[0];
    const parameter = callback && children(callback, "params")[0];
    if (entry === undefined || parameter?.type !== "Identifier") return;
    const variable = this.#index.declared(callback as SyntaxNode).find(({ name }) => name === parameter["name"]);
    if (variable) this.#bound.set(variable, entry);
  }

  #bindAll(node: SyntaxNode, entry: string | undefined): void {
    if (entry === undefined) return;
    for (const variable of this.#index.declared(node)) this.#bound.set(variable, entry);
  }

  #bindIdentifier(node: SyntaxNode | undefined, entry: string | undefined): void {
    if (entry === undefined || node?.type !== "Identifier") return;
    const variable = this.#index.variable(node);
    if (variable) this.#bound.set(variable, entry);
  }
}

/** The module of `import x = require("...")`. */
export function externalModule(node: SyntaxNode): string | undefined {
  const reference = child(node, "moduleReference");
  return reference?.type === "TSExternalModuleReference" ? textOf(child(reference, "expression")) : undefined;
}

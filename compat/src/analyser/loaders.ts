import type { Variable } from "@typescript-eslint/scope-manager";
import { propertyName, child, children, nameOf, textOf } from "./source-tree.js";
import type { IndexedTree, SyntaxNode } from "./source-tree.js";

const TEST_TOOLS = new Set(["vi", "vitest", "jest", "mock"]);
const ACTUAL = new Set(["requireActual", "requireMock", "importActual", "importMock", "unstable_requireActual"]);
/** What compilers wrap around `require`: the module comes through as it is, or as its `default`. */
const INTEROP = /^_{0,2}(?:importStar|importDefault|toESM|interop(?:Namespace|RequireWildcard|RequireDefault))$/;

/** Which calls of a file load a module by its name. */
export class Loaders {
  readonly #index: IndexedTree;
  readonly #makers = new Set<Variable>();
  readonly #loaders = new Set<Variable>();

  constructor(index: IndexedTree) {
    this.#index = index;
    for (const specifier of index.ofTypes(["ImportSpecifier"])) {
      if (nameOf(child(specifier, "imported")) === "createRequire") this.#add(this.#makers, specifier);
    }
    for (const declarator of index.ofTypes(["VariableDeclarator"])) {
      const isName = child(declarator, "id")?.type === "Identifier";
      if (isName && this.isRequire(child(declarator, "init"))) this.#add(this.#loaders, declarator);
    }
  }

  /** Whether an expression is `require` as Node gives it, or made by `createRequire`, or another name of it. */
  isRequire(node: SyntaxNode | undefined): boolean {
    if (node?.type === "CallExpression") return this.#makesRequire(child(node, "callee"));
    if (node?.type === "MemberExpression") {
      return propertyName(node) === "require" && this.#isGlobal(child(node, "object"), "module");
    }
    if (node?.type !== "Identifier") return false;
    const variable = this.#index.variable(node);
    return (variable !== null && this.#loaders.has(variable)) || this.#isGlobal(node, "require");
  }

  /** What a call loads at once: the argument that names it. */
  loadedBy(call: SyntaxNode): SyntaxNode | undefined {
    const callee = child(call, "callee");
    const first = children(call, "arguments")[0];
    if (this.isRequire(callee) || this.isActual(call)) return first;
    const inner = callee?.type === "MemberExpression" ? propertyName(callee) : nameOf(callee);
    const wraps = INTEROP.test(inner ?? "") && first?.type === "CallExpression";
    return wraps ? this.loadedBy(first) : undefined;
  }

  /** `vi.importActual("x")` and its like. */
  isActual(call: SyntaxNode): boolean {
    const callee = child(call, "callee");
    if (callee?.type !== "MemberExpression" || !ACTUAL.has(propertyName(callee) ?? "")) return false;
    return TEST_TOOLS.has(nameOf(child(callee, "object")) ?? "");
  }

  #add(variables: Set<Variable>, declaring: SyntaxNode): void {
    for (const variable of this.#index.declared(declaring)) variables.add(variable);
  }

  #makesRequire(callee: SyntaxNode | undefined): boolean {
    if (callee?.type === "MemberExpression") return propertyName(callee) === "createRequire";
    if (callee?.type !== "Identifier") return false;
    const variable = this.#index.variable(callee);
    return callee["name"] === "createRequire" || (variable !== null && this.#makers.has(variable));
  }

  #isGlobal(node: SyntaxNode | undefined, name: string): boolean {
    if (node?.type !== "Identifier" || node["name"] !== name) return false;
    return !this.#index.variable(node)?.defs.length;
  }
}

/** The module of `import x = require("...")`. */
export function externalModule(node: SyntaxNode): string | undefined {
  const reference = child(node, "moduleReference");
  return reference?.type === "TSExternalModuleReference" ? textOf(child(reference, "expression")) : undefined;
}

import { passesOn } from "./module-values.js";
import type { ModuleValues } from "./module-values.js";
import { child, children, nameOf, propertyName, textOf } from "./source-tree.js";
import type { IndexedTree, SyntaxNode } from "./source-tree.js";

const MOCKING = new Set([
  "mock",
  "doMock",
  "unmock",
  "doUnmock",
  "dontMock",
  "setMock",
  "module",
  "unstable_mockModule",
  "createMockFromModule",
  "genMockFromModule",
]);

/** Calls that name a module to replace or to resolve it: `vi.mock("x")`, `t.mock.module("x")`, `require.resolve`. */
export function namesModule(call: SyntaxNode, modules: ModuleValues): boolean {
  const callee = child(call, "callee");
  if (callee?.type !== "MemberExpression") return false;
  const object = child(callee, "object");
  const method = propertyName(callee) ?? "";
  if (method === "resolve") return modules.loaders.isRequire(object) || object?.type === "MetaProperty";
  const isTool = object?.type === "Identifier" || (object && propertyName(object) === "mock");
  return isTool === true && MOCKING.has(method);
}

function isTarget(node: SyntaxNode | undefined): boolean {
  return node?.type === "Identifier" || node?.type === "ObjectPattern";
}

/** `import("x").then((module) => ...)`: the callback names what it gets. */
function callbackTakes(index: IndexedTree, member: SyntaxNode): boolean {
  const call = index.parent(member);
  const callback = call && child(call, "callee") === member ? children(call, "arguments")[0] : undefined;
  return isTarget(callback && children(callback, "params")[0]);
}

/** Whether a call picks a name of the module that it is given first, loads it, or replaces it. */
function callTakes(call: SyntaxNode, part: SyntaxNode, modules: ModuleValues): boolean {
  const [first, second] = children(call, "arguments");
  if (first !== part) return false;
  return textOf(second) !== undefined || modules.loaders.loadedBy(call) !== undefined || namesModule(call, modules);
}

/**
 * Whether names are picked from a loaded module where it is loaded, or it gets a name that can be followed. If not, it
 * is handed on as a whole, or loaded for its effect.
 */
export function isTaken(index: IndexedTree, modules: ModuleValues, load: SyntaxNode): boolean {
  let part = load;
  for (let user = index.parent(part); user; part = user, user = index.parent(part)) {
    if (user.type === "VariableDeclarator") return isTarget(child(user, "id"));
    if (user.type.startsWith("Assignment")) return isTarget(child(user, "left"));
    if (user.type === "CallExpression") return callTakes(user, part, modules);
    if (user.type === "BinaryExpression") return user["operator"] === "in" && textOf(child(user, "left")) !== undefined;
    if (user.type === "SequenceExpression" && children(user, "expressions").at(-1) === part) continue;
    if (user.type === "AwaitExpression" || passesOn(user, part)) continue;
    if (user.type !== "MemberExpression") return false;
    const name = propertyName(user);
    if (name === "then") return callbackTakes(index, user);
    if (name === "catch" || name === "finally") return false;
    if (name !== "default") return true;
  }
  return false;
}

/** Where a value leaves the place that it has a name in, with all its names: by the kind of what is around it. */
const LEAVING = new Set(["SpreadElement", "ArrayExpression", "ReturnStatement", "YieldExpression", "NewExpression"]);

/** Whether a name stands where its value is given to somebody else as a whole. */
export function isGivenAway(index: IndexedTree, modules: ModuleValues, name: SyntaxNode): boolean {
  const user = index.parent(name);
  if (!user || modules.moduleOf(name) === undefined) return false;
  if (LEAVING.has(user.type)) return child(user, "callee") !== name;
  if (user.type === "CallExpression") {
    return children(user, "arguments").includes(name) && !callTakes(user, name, modules);
  }
  if (user.type === "ArrowFunctionExpression") return child(user, "body") === name;
  const inObject = user.type === "Property" && index.parent(user)?.type === "ObjectExpression";
  return inObject && child(user, "value") === name;
}

/** The name of a module where a statement gives it to whoever loads this file. */
export function handedOut(index: IndexedTree, node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === "ExportSpecifier") return child(node, "local");
  if (node.type === "ExportDefaultDeclaration") return child(node, "declaration");
  if (node.type === "TSExportAssignment") return child(node, "expression");
  if (node.type === "AssignmentExpression") {
    return child(node, "left")?.type === "MemberExpression" ? child(node, "right") : undefined;
  }
  const declaration = node.type === "VariableDeclarator" ? index.parent(node) : node;
  const exported = declaration && index.parent(declaration)?.type === "ExportNamedDeclaration";
  return exported ? child(node, "id") : undefined;
}

/** `declare module "x" { ... }`. */
export function augmented(node: SyntaxNode): string | undefined {
  const id = child(node, "id");
  return id?.type === "Literal" ? nameOf(id) : undefined;
}

import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child, children, nameOf } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { addTo, byPackage, newHome } from "./movable.js";
import type { Fix } from "./movable.js";
import { moduleSource, quoted, withSource } from "./module-source.js";
import { isListed } from "./statements.js";
import { endOf, lineBreak, takeOut } from "./text-lists.js";

/** How the module that a pattern takes apart is changed for another one. */
export interface ModuleText {
  readonly inPlace: (module: string) => TextEdit;
  readonly text: (module: string) => string;
}

/** The property as it is written under the new name; the local name stays. */
function propertyText(text: string, hit: CompatHit): string {
  const value = child(hit.node as SyntaxNode, "value") as SyntaxNode;
  const name = newHome(hit)?.export ?? hit.name;
  const local = text.slice(...value.range);
  return (nameOf(value) ?? nameOf(child(value, "left"))) === name ? local : `${name}: ${local}`;
}

/** The same in its place: where more than a colon stands between the names, the old one alone gives way. */
function renamed(text: string, hit: CompatHit): TextEdit {
  const node = hit.node as SyntaxNode;
  const [key, value] = [child(node, "key") as SyntaxNode, child(node, "value") as SyntaxNode];
  const isPlain = /^\]?\s*:\s*$/.test(text.slice(key.range[1], value.range[0]));
  if (node["shorthand"] === true || isPlain) {
    return { range: [node.range[0], value.range[1]], text: propertyText(text, hit) };
  }
  const name = newHome(hit)?.export ?? hit.name;
  return { range: key.range, text: node["computed"] === true ? quoted(text, key, name).text : name };
}

/** Where a second pattern for another module can stand: behind the first one, and how it is written there. */
interface Room {
  readonly at: number;
  readonly write: (pattern: string, value: string) => string;
}

function roomFor(index: IndexedTree, pattern: SyntaxNode): Room | undefined {
  const { text } = index.tree;
  const owner = index.parent(pattern);
  const statement = owner && index.parent(owner);
  if (!owner || !statement) return undefined;
  const line = lineBreak(text, statement.range[0]);
  if (owner.type === "VariableDeclarator") {
    const alone = children(statement, "declarations").length === 1 && isListed(index, statement);
    const keyword = String(statement["kind"]);
    if (!alone) return { at: owner.range[1], write: (names, value) => `, ${names} = ${value}` };
    const end = endOf(text, statement);
    return { at: statement.range[1], write: (names, value) => `${line}${keyword} ${names} = ${value}${end}` };
  }
  const assigns = owner.type === "AssignmentExpression" && statement.type === "ExpressionStatement";
  if (!assigns || !isListed(index, statement)) return undefined;
  const before = endOf(text, statement) === "" ? ";" : "";
  return { at: statement.range[1], write: (names, value) => `${before}${line}(${names} = ${value});` };
}

/** Leads the names of a pattern to the modules that have them; undefined where a second pattern has no room. */
export function movePattern(index: IndexedTree, hits: readonly CompatHit[], value: ModuleText): Fix | undefined {
  const { text } = index.tree;
  const pattern = hits[0]?.node && index.parent(hits[0].node);
  const properties = pattern ? children(pattern, "properties") : [];
  if (!pattern || pattern["typeAnnotation"] || properties.some(({ type }) => type !== "Property")) return undefined;
  const packages = [...byPackage(hits)];
  const moved = new Set(hits.map(({ node }) => node as SyntaxNode));
  const edits: TextEdit[] = [];
  const first = moved.size === properties.length ? packages.shift() : undefined;
  const room = roomFor(index, pattern);
  if (packages.length > 0 && !room) return undefined;
  if (first) {
    const [module, group] = first;
    for (const hit of group) {
      moved.delete(hit.node as SyntaxNode);
      edits.push(renamed(text, hit));
    }
    edits.push(value.inPlace(module));
  }
  edits.push(...takeOut(text, properties, moved));
  if (packages.length === 0 || !room) return edits;
  const added = packages.map(([module, group]) =>
    room.write(`{ ${group.map((hit) => propertyText(text, hit)).join(", ")} }`, value.text(module)),
  );
  return [...edits, { range: [room.at, room.at], text: added.join("") }];
}

/** What a pattern takes apart: the value beside it, or what a callback is called with. */
export function valueOf(index: IndexedTree, pattern: SyntaxNode): SyntaxNode | undefined {
  const owner = index.parent(pattern);
  if (!owner) return undefined;
  const value = child(owner, "init") ?? child(owner, "right");
  if (value || children(owner, "params")[0] !== pattern) return value;
  const call = index.parent(owner);
  const callee = call && child(call, "callee");
  return callee && child(callee, "object");
}

/** The hits of each pattern. */
export function byPattern(index: IndexedTree, hits: readonly CompatHit[]): Map<SyntaxNode, CompatHit[]> {
  const patterns = new Map<SyntaxNode, CompatHit[]>();
  for (const hit of hits) {
    const pattern = hit.node?.type === "Property" && newHome(hit) ? index.parent(hit.node) : undefined;
    if (pattern) addTo(patterns, pattern, hit);
  }
  return patterns;
}

/** Moves properties of a module that is taken apart where it is loaded. */
export function fixPatterns(index: IndexedTree, hits: readonly CompatHit[]): Fix[] {
  const { text } = index.tree;
  return [...byPattern(index, hits)].flatMap(([pattern, moving]): Fix[] => {
    const value = valueOf(index, pattern);
    const source = moduleSource(value);
    if (!value || !source) return [];
    const fix = movePattern(index, moving, {
      inPlace: (module) => quoted(text, source, module),
      text: (module) => withSource(text, value, source, module),
    });
    return fix ? [fix] : [];
  });
}

import type { Variable } from "@typescript-eslint/scope-manager";
import type { CompatHit, TextEdit } from "../compat-hit.js";
import { child } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";
import { isWritten, renameProperty } from "./fix-members.js";
import { byPattern, movePattern, valueOf } from "./fix-patterns.js";
import { freshName, namesIn } from "./free-names.js";
import { quoted, unwrapped } from "./module-source.js";
import { addTo, newHome } from "./movable.js";
import type { Fix } from "./movable.js";
import { lateSource, namespaceOf } from "./namespace.js";

/** One reading of a whole module's name that can be led elsewhere. */
interface Use {
  readonly identifier: SyntaxNode;
  readonly edits: (nameFor: (module: string) => string) => Fix | undefined;
}

function nameRead(index: IndexedTree, value: SyntaxNode | undefined): readonly [SyntaxNode, Variable] | undefined {
  const node = unwrapped(value);
  const named = node?.type === "Identifier" || node?.type === "JSXIdentifier";
  const variable = node && named ? index.variable(node) : null;
  return node && variable ? [node, variable] : undefined;
}

/** `hs.X`, `<hs.X />` and `hs.X` as a type. */
function memberUses(index: IndexedTree, hits: readonly CompatHit[], uses: Map<Variable, Use[]>): void {
  for (const hit of hits) {
    const home = newHome(hit);
    if (!home || !hit.node || !/Member|Qualified/.test(hit.node.type) || isWritten(index, hit.node)) continue;
    const member = hit.node;
    const read = nameRead(index, child(member, "object") ?? child(member, "left"));
    if (!read) continue;
    const [identifier, variable] = read;
    const edits: Use["edits"] = (nameFor) => [
      { range: identifier.range, text: nameFor(home.package) },
      ...renameProperty(index.tree.text, member, home.export),
    ];
    addTo(uses, variable, { identifier, edits });
  }
}

/** `const { X } = hs`. */
function patternUses(index: IndexedTree, hits: readonly CompatHit[], uses: Map<Variable, Use[]>): void {
  for (const [pattern, moving] of byPattern(index, hits)) {
    const value = valueOf(index, pattern);
    const read = value?.type === "Identifier" ? nameRead(index, value) : undefined;
    if (!read) continue;
    const [identifier, variable] = read;
    const edits: Use["edits"] = (nameFor) =>
      movePattern(index, moving, {
        inPlace: (module) => ({ range: identifier.range, text: nameFor(module) }),
        text: nameFor,
      });
    addTo(uses, variable, { identifier, edits });
  }
}

/** A name that cannot have others beside it moves as a whole, when one package has all that is read of it. */
function moveInPlace(index: IndexedTree, variable: Variable, uses: readonly Use[]): Fix {
  const source = lateSource(index, variable);
  const modules = new Set<string>();
  const nameFor = (module: string): string => {
    modules.add(module);
    return variable.name;
  };
  const edits = uses.flatMap(({ edits: write }) => write(nameFor) ?? []);
  const led = new Set(uses.map(({ identifier }) => identifier as unknown));
  const [module, ...others] = modules;
  const isWhole = variable.references.every((use) => use.isWrite() || led.has(use.identifier));
  if (!source || module === undefined || others.length > 0 || !isWhole) return [];
  return [...edits, quoted(index.tree.text, source, module)];
}

function moveNamespace(index: IndexedTree, variable: Variable, uses: readonly Use[], taken: Set<string>): Fix {
  const namespace = namespaceOf(index, variable);
  if (!namespace) return moveInPlace(index, variable, uses);
  const names = new Map<string, string>();
  const nameFor = (module: string): string => {
    const name = names.get(module) ?? freshName(taken, variable.name, module);
    names.set(module, name);
    return name;
  };
  const led = new Set<unknown>();
  const edits: TextEdit[] = uses.flatMap(({ identifier, edits: write }) => {
    const fix = write(nameFor) ?? [];
    if (fix.some(({ range }) => range === identifier.range)) led.add(identifier);
    return fix;
  });
  const added = [...names].map(([module, name]) => namespace.write(name, module));
  if (added.length === 0) return [];
  const { made, at, separator, remove } = namespace;
  const needed = variable.references.some((use) => !use.init && !led.has(use.identifier));
  if (!needed && remove === undefined) return [...edits, { range: made.range, text: added.join(separator) }];
  const beside = added.map((one) => separator + one).join("");
  return [...edits, ...((!needed && remove) || []), { range: [at, at], text: beside }];
}

/** Leads the uses of a whole module's name to the focused packages; the old name goes when nobody needs it. */
export function fixNamespaces(index: IndexedTree, hits: readonly CompatHit[]): Fix[] {
  const uses = new Map<Variable, Use[]>();
  memberUses(index, hits, uses);
  patternUses(index, hits, uses);
  const taken = namesIn(index);
  return [...uses].map(([variable, of]) => moveNamespace(index, variable, of, taken));
}

import type { IndexedTree } from "../source-tree.js";

/** Every name that a file declares or reads. */
export function namesIn(index: IndexedTree): Set<string> {
  return new Set(
    index.tree.scopes.scopes.flatMap(({ variables, through }) => [
      ...variables.map(({ name }) => name),
      ...through.map(({ identifier }) => String((identifier as { readonly name: unknown }).name)),
    ]),
  );
}

/** `@hermes/state-core` for `hs` is `hsStateCore`, or that with a number where it is taken. */
export function freshName(taken: Set<string>, base: string, module: string): string {
  const words = module.replace(/^@hermes\//, "").split("-");
  const name = base + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}${count}`;
  taken.add(free);
  return free;
}

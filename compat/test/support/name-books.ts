import { NameBook } from "../../src/analyser/compat-name.js";
import type { CompatName } from "../../src/analyser/compat-name.js";
import { findHits } from "../../src/analyser/find-hits.js";
import { parseSource } from "../../src/analyser/parse-source.js";
import { IndexedTree } from "../../src/analyser/source-tree.js";

/** A record of a deprecated name of `hermes-state` that a focused package has. */
function movedName(name: string, home = "@hermes/state-core", exported = name): CompatName {
  return {
    code: "HSC0001",
    entry: "hermes-state",
    name,
    kind: "moved-lazy",
    status: "deprecated",
    target: { package: home, export: exported },
    removal: "2027-06-30",
    replacement: null,
  };
}

/** A record of a name that no focused package has. */
export function keptName(name: string, status: CompatName["status"]): CompatName {
  return { ...movedName(name), status, target: { module: "hermes-state", export: name } };
}

/** Names that are found: two old ones and a stable one, and one of another entry point. */
export const FOUND: NameBook = new NameBook([
  movedName("oldName"),
  movedName("other"),
  keptName("SessionDB", "stable"),
  { ...movedName("OldClass"), entry: "gateway/session" },
]);

/** Names that are rewritten: of two packages, one under another name, one for a person to replace, a stable one. */
export const MOVED: NameBook = new NameBook([
  movedName("escapeLike", "@hermes/state-core", "likeEscape"),
  movedName("classify"),
  movedName("SCHEMA_VERSION", "@hermes/state-schema"),
  keptName("workspaceKey", "deprecated"),
  keptName("SessionDB", "stable"),
]);

/** What is found in a text: line, form and name. */
export function found(book: NameBook, text: string, file = "plugin.ts"): string[] {
  const tree = parseSource(file, text);
  if (!tree) return ["(not parsed)"];
  return findHits(new IndexedTree(tree), book).map(({ form, name, line }) => `${line} ${form} ${name}`);
}

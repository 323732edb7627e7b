export type { CompatHit, TextEdit, UseForm } from "./compat-hit.js";
export { NameBook } from "./compat-name.js";
export type { CompatName, Wanted } from "./compat-name.js";
export { findHits } from "./find-hits.js";
export { isCode, parseSource } from "./parse-source.js";
export { rewriteSource } from "./rewrite-source.js";
export { IndexedTree } from "./source-tree.js";
export type { SourceTree } from "./source-tree.js";

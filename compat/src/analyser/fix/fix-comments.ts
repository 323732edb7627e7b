import type { CompatHit } from "../compat-hit.js";
import type { IndexedTree } from "../source-tree.js";
import { addTo, byPackage, newHome } from "./movable.js";
import type { Fix } from "./movable.js";

const TYPE = /^(import\(\s*["'])[^"']+(["']\s*\)\s*\.\s*)[\w$]+$/;
const TAG = /^(@import\s*\{)([^{}]*)(\}[\s*]*from\s*(["']))[^"']+["']$/;

/** `import("x").X` in a comment. */
function fixType(text: string, hit: CompatHit): Fix {
  const home = newHome(hit);
  const match = TYPE.exec(text.slice(...hit.range));
  if (!home || !match) return [];
  return [{ range: hit.range, text: `${match[1] ?? ""}${home.package}${match[2] ?? ""}${home.export}` }];
}

/** The tag `@import { A, B as C } from "x"`: a tag for each module. */
function fixTag(text: string, hits: readonly CompatHit[]): Fix {
  const range = hits[0]?.range ?? [0, 0];
  const match = TAG.exec(text.slice(...range));
  if (!match) return [];
  const [, open = "", list = "", middle = "", quote = ""] = match;
  const homes = new Map(hits.map((hit) => [hit.name, newHome(hit)]));
  const parts = list
    .split(",")
    .map((part) => (part.match(/[\w$]+/g) ?? []).join(" "))
    .filter((part) => part !== "");
  const tag = (names: readonly string[], rest: string): string => `${open} ${names.join(", ")} ${rest}`;
  const stays = parts.filter((part) => !homes.get(/^[\w$]+/.exec(part)?.[0] ?? ""));
  const tags = stays.length === 0 ? [] : [tag(stays, text.slice(range[0] + open.length + list.length, range[1]))];
  for (const [module, group] of byPackage(hits)) {
    const names = group.flatMap(({ name }) => {
      const written = parts.filter((part) => /^[\w$]+/.exec(part)?.[0] === name);
      const moved = homes.get(name)?.export ?? name;
      return written.map((part) => {
        const local = /\sas\s+([\w$]+)$/.exec(part)?.[1] ?? name;
        return local === moved ? moved : `${moved} as ${local}`;
      });
    });
    tags.push(tag(names, `${middle}${module}${quote}`));
  }
  const line = text.slice(text.lastIndexOf("\n", range[0]) + 1, range[0]);
  const margin = /^\s*\*?\s*$/.test(line) ? line : `${/^\s*/.exec(line)?.[0] ?? ""} * `;
  return [{ range, text: tags.join(`${text.includes("\r\n") ? "\r\n" : "\n"}${margin}`) }];
}

/** Rewrites what JSDoc comments import. */
export function fixComments(index: IndexedTree, hits: readonly CompatHit[]): Fix[] {
  const { text } = index.tree;
  const tags = new Map<number, CompatHit[]>();
  const types: Fix[] = [];
  for (const hit of hits) {
    if (hit.node || !newHome(hit)) continue;
    if (text.startsWith("@import", hit.range[0])) addTo(tags, hit.range[0], hit);
    else types.push(fixType(text, hit));
  }
  return [...types, ...[...tags.values()].map((group) => fixTag(text, group))];
}

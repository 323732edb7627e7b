import { readFileSync } from "node:fs";
import type { UseForm } from "../analyser/compat-hit.js";
import { NameBook } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { findHits } from "../analyser/find-hits.js";
import { parseSource } from "../analyser/parse-source.js";
import { IndexedTree } from "../analyser/source-tree.js";
import { packageOf } from "../runtime/use-site.js";
import type { NotedUse } from "./noted-use.js";

/** A record with the day from which it warns. */
export type WarningName = CompatName & { readonly warnsFrom: string | null };

/** What makes a module load names; a type, a comment or a string only speaks of them, and `require` tells by itself. */
const LOADING: ReadonlySet<UseForm> = new Set<UseForm>(["import", "re-export", "dynamic import"]);

/** The uses of one entry point in a file; a module has no getters that could tell them one by one. */
export function usesOfFile(file: string, entry: string, records: readonly WarningName[]): NotedUse[] {
  const tree = parseSource(file, readFileSync(file, "utf8"));
  if (!tree) return [];
  const warns = new Map(records.map((record) => [record.code, record.warnsFrom]));
  return findHits(new IndexedTree(tree), new NameBook(records)).flatMap(({ record, line, form }) => {
    if (record?.entry !== entry || !LOADING.has(form)) return [];
    const { code, name, removal } = record;
    const replacement = record.replacement ?? "";
    const warnsFrom = warns.get(code) ?? null;
    return [
      {
        name: { code, entry, name, replacement, removal, warnsFrom },
        site: { plugin: packageOf(file), file, line },
      },
    ];
  });
}

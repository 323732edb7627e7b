import { readFileSync } from "node:fs";
import { NameBook } from "../analyser/compat-name.js";
import type { CompatName } from "../analyser/compat-name.js";
import { findHits } from "../analyser/find-hits.js";
import { parseSource } from "../analyser/parse-source.js";
import { IndexedTree } from "../analyser/source-tree.js";
import { packageOf } from "../runtime/use-site.js";
import type { NotedUse } from "./noted-use.js";

/** A record with the day from which it warns. */
export type WarningName = CompatName & { readonly warnsFrom: string | null };

/** The uses of one entry point in a file; a module has no getters that could tell them one by one. */
export function usesOfFile(file: string, entry: string, records: readonly WarningName[]): NotedUse[] {
  const tree = parseSource(file, readFileSync(file, "utf8"));
  if (!tree) return [];
  const warns = new Map(records.map((record) => [record.code, record.warnsFrom]));
  return findHits(new IndexedTree(tree), new NameBook(records)).flatMap(({ record, line }) => {
    if (record?.entry !== entry) return [];
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

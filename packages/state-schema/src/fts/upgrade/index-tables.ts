import type { FtsSchema } from "../fts-schema.js";
import { FTS_SHADOWS, FTS_TABLE } from "../names.js";

/** Tables of a file's word and trigram index; never those of the CJK index, whose names begin alike (SEA-12). */
export interface IndexTables {
  readonly virtual: readonly string[];
  readonly shadow: readonly string[];
}

/** The tables of the word and the trigram index that exist, each looked for by its whole name. */
export function indexTables(schema: FtsSchema): IndexTables {
  const names = [FTS_TABLE.word, FTS_TABLE.trigram];
  const shadow = names.flatMap((name) => FTS_SHADOWS.map((suffix) => `${name}_${suffix}`));
  const present = (name: string): boolean => schema.tables.has(name);
  return { virtual: names.filter(present), shadow: shadow.filter(present) };
}

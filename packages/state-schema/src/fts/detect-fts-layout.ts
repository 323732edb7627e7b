import type { Reader } from "../sql/handles.js";
import { readFtsSchema, type FtsSchema } from "./fts-schema.js";
import type { FtsLayout } from "./index-state.js";
import { FTS_SOURCE, FTS_TABLE, ftsTriggers } from "./names.js";

/**
 * The layout of a file's search index, judged from stored SQL and never from the marker (SCH-05).
 *
 * @returns `mixed` whenever tables and triggers are not of one generation: such files are left as they are.
 */
export function detectFtsLayout(r: Reader): FtsLayout {
  return layoutOf(readFtsSchema(r));
}

/** As {@link detectFtsLayout}, from stored SQL that is at hand. */
export function layoutOf(schema: FtsSchema): FtsLayout {
  const word = schema.tables.get(FTS_TABLE.word);
  if (word === undefined) return "none";
  if (!triggersFit(schema, "word", word)) return "mixed";
  const trigram = schema.tables.get(FTS_TABLE.trigram);
  if (trigram !== undefined && !triggersFit(schema, "trigram", trigram)) return "mixed";
  return pairOf(wordShape(word), trigram === undefined ? "absent" : trigramShape(trigram));
}

type WordShape = "content-only" | "inline" | "plain" | "view";
type TrigramShape = "absent" | "inline" | "wide" | "narrow";

function pairOf(word: WordShape, trigram: TrigramShape): FtsLayout {
  if (word === "content-only") return trigram === "absent" ? "content-only" : "mixed";
  if (word === "inline") return trigram === "absent" || trigram === "inline" ? 0 : "mixed";
  if (word === "view") return trigram === "absent" || trigram === "narrow" ? 3 : "mixed";
  if (trigram === "inline") return "mixed";
  return trigram === "narrow" ? 2 : 1;
}

function wordShape(sql: string): WordShape {
  if (!isExternal(sql)) return "inline";
  if (!sql.includes("tool_name")) return "content-only";
  return sql.includes(FTS_SOURCE.word) ? "view" : "plain";
}

function trigramShape(sql: string): TrigramShape {
  if (!isExternal(sql)) return "inline";
  return sql.includes("tool_calls") ? "wide" : "narrow";
}

/** The table keeps no copy of its text and reads another table or view. */
function isExternal(sql: string): boolean {
  return /\bcontent\s*=/i.test(sql);
}

/** Every trigger that is there talks to its table in the way the table needs. */
function triggersFit(schema: FtsSchema, half: "word" | "trigram", tableSql: string): boolean {
  const external = isExternal(tableSql);
  const plainDelete = new RegExp(`\\bDELETE\\s+FROM\\s+["']?${FTS_TABLE[half]}\\b`, "i");
  return ftsTriggers(half).every((name) => {
    const sql = schema.triggers.get(name);
    if (sql === undefined) return true;
    if (external) return !plainDelete.test(sql);
    return !/'delete'/i.test(sql);
  });
}

import type { SqliteCapabilities } from "../fts/capabilities.js";
import type { FtsHalf } from "../fts/names.js";
import { FTS_SOURCE, FTS_TABLE } from "../fts/names.js";
import { hasTriggers } from "../fts/read-index-state.js";
import { META_KEYS } from "../meta-keys.js";
import type { SchemaFacts } from "./schema-facts.js";

/**
 * What the search index of a file needs: `create` the newest layout, `reset` an external one (empty it and put it up
 * for backfill), `rebuild` an old one whose triggers were gone, `detach` one that cannot be trusted.
 */
export type IndexPlan = "none" | "create" | "reset" | "rebuild" | "detach";

/**
 * Judges the index by its objects, word and trigram each on its own, so that a runtime without the trigram tokenizer
 * does not start over at every open (SCH-08). A stale index is never given triggers.
 *
 * @param empty - Messages exist and none is indexed.
 */
export function planIndex(facts: SchemaFacts, capabilities: SqliteCapabilities, empty: boolean): IndexPlan {
  const { layout, meta } = facts;
  if (!capabilities.fts5 || meta.has(META_KEYS.ftsStale.key)) return "none";
  if (layout === "none") return "create";
  const wordLost = !hasTriggers(facts.fts, "word");
  const trigramLost = capabilities.trigram && has(facts, "trigram") && !hasTriggers(facts.fts, "trigram");
  if (layout === "mixed") return wordLost || trigramLost ? "detach" : "none";
  if (layout === 0 || layout === "content-only") return wordLost || trigramLost ? "rebuild" : "none";
  const trigramAbsent = capabilities.trigram && !(has(facts, "trigram") && facts.fts.views.has(FTS_SOURCE.trigram));
  const viewAbsent = layout === 3 && !facts.fts.views.has(FTS_SOURCE.word);
  const unseeded = empty && !meta.has(META_KEYS.ftsRebuildHighWater.key);
  return wordLost || trigramLost || trigramAbsent || viewAbsent || unseeded ? "reset" : "none";
}

function has(facts: SchemaFacts, half: FtsHalf): boolean {
  return facts.fts.tables.has(FTS_TABLE[half]);
}

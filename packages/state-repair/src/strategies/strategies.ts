import { dedupSchema } from "./dedup-schema.js";
import { dropFtsRebuild } from "./drop-fts-rebuild.js";
import { rebuildFts } from "./rebuild-fts.js";
import { reclaimPages } from "./reclaim-pages.js";
import { recreateIndex } from "./recreate-index.js";
import { reindexBtree } from "./reindex-btree.js";
import type { Strategy } from "./strategy.js";

/** All strategies, least destructive first (REP-07). Salvage is never automatic: it writes another file. */
export const STRATEGIES: readonly Strategy[] = Object.freeze([
  rebuildFts,
  reindexBtree,
  recreateIndex,
  dedupSchema,
  dropFtsRebuild,
  reclaimPages,
]);

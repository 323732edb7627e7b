import { META_KEYS } from "../meta-keys.js";
import type { Writer } from "../sql/handles.js";
import { deleteMeta, setMeta } from "../sql/set-meta.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { createFtsObjects, FTS_LAYOUT } from "./create-fts-objects.js";
import { readFtsSchema } from "./fts-schema.js";
import { truncateHalves, writableHalves } from "./step-backfill.js";

const HIGHEST_ID = "SELECT MAX(id) AS id FROM messages";

/**
 * Creates what is missing of an external-content index, empties it, and puts all existing messages up for backfill, in
 * the caller's transaction: nothing is silently unindexed, and the work that remains comes in bounded steps.
 *
 * @param layout - The file's own layout; the newest for a file without an index.
 */
export function createIndexObjects(
  w: Writer,
  capabilities: SqliteCapabilities,
  layout: 1 | 2 | 3 = FTS_LAYOUT,
): void {
  createFtsObjects(w, layout, { trigram: capabilities.trigram });
  truncateHalves(w, writableHalves(readFtsSchema(w), layout, capabilities));
  const highest = w.get<{ id: number | null }>(HIGHEST_ID)?.id ?? 0;
  if (highest > 0) {
    setMeta(w, META_KEYS.ftsRebuildHighWater.key, String(highest));
    setMeta(w, META_KEYS.ftsRebuildProgress.key, "0");
  } else {
    deleteMeta(w, META_KEYS.ftsRebuildHighWater.key, META_KEYS.ftsRebuildProgress.key);
  }
}

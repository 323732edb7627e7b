import type { SqliteCapabilities } from "../fts/capabilities.js";
import { META_KEYS } from "../meta-keys.js";
import type { Reader, Writer } from "../sql/handles.js";
import { setMeta } from "../sql/set-meta.js";
import { isIndexEmpty } from "../fts/is-index-empty.js";
import type { SchemaFacts } from "./schema-facts.js";

/**
 * The value `fts_storage_version` ought to have and has not; undefined when it is right or nothing may be claimed: an
 * old layout, a stale or empty index, a pending backfill, leftovers of an upgrade.
 */
export function missingLayoutStamp(
  r: Reader,
  facts: SchemaFacts,
  capabilities: SqliteCapabilities,
): string | undefined {
  const { layout, meta, fts } = facts;
  if (!capabilities.fts5 || (layout !== 1 && layout !== 2 && layout !== 3)) return undefined;
  const stamp = String(layout);
  if (meta.get(META_KEYS.ftsStorageVersion.key) === stamp) return undefined;
  const unsettled = meta.has(META_KEYS.ftsStale.key) || meta.has(META_KEYS.ftsRebuildHighWater.key);
  return unsettled || fts.trash.length > 0 || isIndexEmpty(r) ? undefined : stamp;
}

/** Stamps the layout where it is settled, in the caller's transaction. */
export function stampLayout(w: Writer, facts: SchemaFacts, capabilities: SqliteCapabilities): void {
  const stamp = missingLayoutStamp(w, facts, capabilities);
  if (stamp !== undefined) setMeta(w, META_KEYS.ftsStorageVersion.key, stamp);
}

import { META_KEYS } from "../../meta-keys.js";
import type { Reader } from "../../sql/handles.js";
import type { SqliteCapabilities } from "../capabilities.js";
import { layoutOf } from "../detect-fts-layout.js";
import { readFtsSchema, type FtsSchema } from "../fts-schema.js";
import { isHollow } from "../is-hollow.js";
import { isIndexEmpty } from "../is-index-empty.js";
import { FTS_SOURCE, FTS_TABLE } from "../names.js";
import { hasTriggers, readIndexMarkers } from "../read-index-state.js";
import { indexTables } from "./index-tables.js";

/**
 * What the index of a file needs before a backfill can bring it to the newest layout: `replace` puts the tables of
 * another layout, or of a detached index, aside; `seed` creates what is missing, empties the index and puts every
 * message up for backfill.
 */
export type UpgradePlan = "none" | "seed" | "replace";

/** Judges the index by its objects and its markers. Inside a transaction the answer stays true until its end. */
export function planUpgrade(r: Reader, capabilities: SqliteCapabilities): UpgradePlan {
  const schema = readFtsSchema(r);
  if (!capabilities.fts5 || !schema.meta) return "none";
  const layout = layoutOf(schema);
  const { stale, pending } = readIndexMarkers(r);
  if (layout === "none") {
    const { virtual, shadow } = indexTables(schema);
    return virtual.length + shadow.length > 0 ? "replace" : "seed";
  }
  if (layout !== 3 || stale || isDeaf(schema, capabilities) || isWiped(r, schema, capabilities)) return "replace";
  const empty = isIndexEmpty(r);
  // A high water without progress says nothing of what is indexed; an index without markers that is empty lost them.
  const lost = pending === undefined ? empty : pending.progress < 0;
  if (!lost && !isIncomplete(schema, capabilities)) return "none";
  // To empty a large index takes as long as to drop it.
  return empty ? "seed" : "replace";
}

/** An index whose structure record was wiped answers every question with nothing. */
function isWiped(r: Reader, schema: FtsSchema, capabilities: SqliteCapabilities): boolean {
  return [FTS_TABLE.word, ...(capabilities.trigram ? [FTS_TABLE.trigram] : [])].some((table) => {
    const readable = schema.tables.has(`${table}_data`) && schema.tables.has(`${table}_docsize`);
    return readable && isHollow(r, table);
  });
}

/** An index without its triggers has missed writes of unknown number. */
function isDeaf(schema: FtsSchema, capabilities: SqliteCapabilities): boolean {
  if (!hasTriggers(schema, "word")) return true;
  return capabilities.trigram && schema.tables.has(FTS_TABLE.trigram) && !hasTriggers(schema, "trigram");
}

function isIncomplete(schema: FtsSchema, capabilities: SqliteCapabilities): boolean {
  if (!schema.views.has(FTS_SOURCE.word)) return true;
  return capabilities.trigram && !(schema.tables.has(FTS_TABLE.trigram) && schema.views.has(FTS_SOURCE.trigram));
}

/** Work that a storage upgrade has left or not begun: anything but giving pages back (SEA-12). */
export function isUpgradeAvailable(r: Reader, capabilities: SqliteCapabilities): boolean {
  const schema = readFtsSchema(r);
  if (!capabilities.fts5 || !schema.meta) return false;
  if (schema.trash.length > 0 || planUpgrade(r, capabilities) !== "none") return true;
  return readIndexMarkers(r).pending !== undefined;
}

/** Markers that no settled index has. */
export const UNSETTLED_KEYS: readonly string[] = [
  META_KEYS.ftsStale.key,
  META_KEYS.ftsRebuildDeferral.key,
  META_KEYS.ftsOptimizeAvailable.key,
  META_KEYS.ftsStorageVersion.key,
];

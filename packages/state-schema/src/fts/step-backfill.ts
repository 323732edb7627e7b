import { META_KEYS } from "../meta-keys.js";
import type { Writer } from "../sql/handles.js";
import { deleteMeta, setMeta } from "../sql/set-meta.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { ftsObjects } from "./create-fts-objects.js";
import { layoutOf } from "./detect-fts-layout.js";
import type { FtsHalfObjects } from "./fts-objects.js";
import { readFtsSchema, type FtsSchema } from "./fts-schema.js";
import { FTS_TABLE } from "./names.js";
import { readIndexMarkers } from "./read-index-state.js";

/** How many ids one step of a backfill covers at most. */
export const BACKFILL_CHUNK = 500;

/** Around the high water, rows are checked one by one before the markers go. */
const SWEEP = 1000;

const HIGHEST_ID = "SELECT COALESCE(MAX(id), 0) AS id FROM messages";

/** What one step did: `none` nothing is pending here, `more` work remains, `done` the markers are gone. */
export type BackfillStep = "none" | "more" | "done";

/**
 * Runs one step of a pending backfill inside the caller's transaction: the progress is read, the next 500 ids are
 * indexed and the progress is moved, so a killed step leaves nothing half done and two runners share the work (SEA-08).
 * The last step looks for rows missed around the high water and removes both markers.
 *
 * @param capabilities - What the linked SQLite can do; a trigram index it cannot write is left for a capable runtime.
 * @param ids - How many ids this step covers, 500 at most: fewer where rows are long and others wait.
 */
export function stepBackfill(w: Writer, capabilities: SqliteCapabilities, ids: number = BACKFILL_CHUNK): BackfillStep {
  const schema = readFtsSchema(w);
  const layout = layoutOf(schema);
  if (!capabilities.fts5 || !schema.meta || (layout !== 1 && layout !== 2 && layout !== 3)) return "none";
  const { stale, pending } = readIndexMarkers(w);
  if (stale || pending === undefined) return "none";
  const halves = writableHalves(schema, layout, capabilities);
  const highWater = pending.progress < 0 ? restart(w, halves) : pending.highWater;
  const from = Math.max(pending.progress, 0);
  const upTo = Math.min(from + Math.min(ids, BACKFILL_CHUNK), highWater);
  for (const half of halves) indexRange(w, half, from, upTo);
  if (upTo < highWater) {
    setMeta(w, META_KEYS.ftsRebuildProgress.key, String(upTo));
    return "more";
  }
  for (const half of halves) sweep(w, half, highWater);
  deleteMeta(w, META_KEYS.ftsRebuildHighWater.key, META_KEYS.ftsRebuildProgress.key);
  return "done";
}

/**
 * A high water without a progress says nothing of what is indexed: the index is emptied, the rows above it included, so
 * the high water rises to the newest row.
 *
 * @returns The new high water.
 */
function restart(w: Writer, halves: readonly FtsHalfObjects[]): number {
  truncateHalves(w, halves);
  const highWater = w.get<{ id: number }>(HIGHEST_ID)?.id ?? 0;
  setMeta(w, META_KEYS.ftsRebuildHighWater.key, String(highWater));
  return highWater;
}

/** Empties external-content indexes with the engine's own command: their rows are elsewhere (SCH-11). */
export function truncateHalves(w: Writer, halves: Iterable<FtsHalfObjects>): void {
  for (const { table } of halves) w.exec(`INSERT INTO ${table.name}(${table.name}) VALUES ('delete-all')`);
}

/** The external-content indexes of a file that this runtime can write. */
export function writableHalves(
  schema: FtsSchema,
  layout: 1 | 2 | 3,
  capabilities: SqliteCapabilities,
): readonly FtsHalfObjects[] {
  const { word, trigram } = ftsObjects(layout);
  const withTrigram = capabilities.trigram && trigram !== undefined && schema.tables.has(FTS_TABLE.trigram);
  return withTrigram ? [word, trigram] : [word];
}

/** Indexes the rows of an id range, up to and including its end. */
export function indexRange(w: Writer, half: FtsHalfObjects, after: number, upTo: number): void {
  const columns = half.columns.join(", ");
  w.run(
    `INSERT INTO ${half.table.name}(rowid, ${columns})
     SELECT id, ${columns} FROM ${half.source} WHERE id > ? AND id <= ?`,
    [after, upTo],
  );
}

function sweep(w: Writer, half: FtsHalfObjects, highWater: number): void {
  const columns = half.columns.join(", ");
  w.run(
    `INSERT INTO ${half.table.name}(rowid, ${columns})
     SELECT id, ${columns} FROM ${half.source} AS src WHERE id > ? AND id <= ?
     AND NOT EXISTS (SELECT 1 FROM ${half.table.name}_docsize AS size WHERE size.id = src.id)`,
    [highWater - SWEEP, highWater + SWEEP],
  );
}

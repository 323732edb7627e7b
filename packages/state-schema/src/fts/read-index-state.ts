import { META_KEYS } from "../meta-keys.js";
import type { Reader } from "../sql/handles.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { layoutOf } from "./detect-fts-layout.js";
import { readFtsSchema, type FtsSchema } from "./fts-schema.js";
import type { IndexHalf, IndexState, PendingBackfill } from "./index-state.js";
import { FTS_TABLE, ftsTriggers } from "./names.js";

const { ftsStale, ftsRebuildHighWater, ftsRebuildProgress } = META_KEYS;
const MARKERS = `
  SELECT key, CAST(value AS INTEGER) AS number FROM state_meta
  WHERE key IN ('${ftsStale.key}', '${ftsRebuildHighWater.key}', '${ftsRebuildProgress.key}')`;

/** Markers of the index, as they stand in `state_meta`. */
export interface IndexMarkers {
  readonly stale: boolean;
  readonly pending: PendingBackfill | undefined;
}

/** Reads the markers. The file must have `state_meta`. */
export function readIndexMarkers(r: Reader): IndexMarkers {
  const markers = new Map(
    r.all<{ key: string; number: number | null }>(MARKERS).map(({ key, number }) => [key, number ?? -1]),
  );
  const highWater = markers.get(ftsRebuildHighWater.key);
  const progress = markers.get(ftsRebuildProgress.key) ?? -1;
  return {
    stale: markers.has(ftsStale.key),
    pending: highWater === undefined ? undefined : { progress, highWater },
  };
}

/**
 * What the search indexes of a file can answer right now. Read it in the same transaction as the query that relies on
 * it: another process may detach or rebuild them between two transactions.
 *
 * @param capabilities - What the linked SQLite can do, see {@link probeCapabilities}.
 */
export function readIndexState(r: Reader, capabilities: SqliteCapabilities): IndexState {
  const schema = readFtsSchema(r);
  const { stale, pending } = schema.meta ? readIndexMarkers(r) : { stale: false, pending: undefined };
  return {
    layout: layoutOf(schema),
    word: halfOf(schema, "word", capabilities.fts5),
    trigram: halfOf(schema, "trigram", capabilities.trigram),
    stale,
    pending,
  };
}

function halfOf(schema: FtsSchema, half: "word" | "trigram", capable: boolean): IndexHalf {
  const present = schema.tables.has(FTS_TABLE[half]);
  return { present, triggers: hasTriggers(schema, half), readable: present && capable };
}

/** All three sync triggers of an index exist. */
export function hasTriggers(schema: FtsSchema, half: "word" | "trigram"): boolean {
  return ftsTriggers(half).every((name) => schema.triggers.has(name));
}

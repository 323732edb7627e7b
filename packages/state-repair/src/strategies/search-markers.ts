import type { MaintenanceConnection } from "@hermes/state-core";
import { META_KEYS } from "@hermes/state-schema";

const MARKERS = [
  META_KEYS.ftsStale,
  META_KEYS.ftsRebuildHighWater,
  META_KEYS.ftsRebuildProgress,
  META_KEYS.ftsRebuildDeferral,
].map(({ key }) => key);

const HAS_META = "SELECT 1 AS found FROM main.sqlite_master WHERE type = 'table' AND name = 'state_meta'";
const FORGET_MARKER = "DELETE FROM state_meta WHERE key = ?";

/** The index holds every row: what said otherwise goes, in the transaction that made it so. */
export function clearSearchMarkers(connection: MaintenanceConnection): void {
  if (connection.get(HAS_META) === undefined) return;
  for (const key of MARKERS) connection.run(FORGET_MARKER, [key]);
}

/** Key of `state_meta` that belongs to the search index and may change while rows are proven unchanged. */
export function isSearchMarker(key: string): boolean {
  return key.startsWith("fts_");
}

import { META_KEYS } from "../meta-keys.js";

const marker = (key: string): string =>
  `COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '${key}'), -1)`;

/**
 * True for a row that is in the index while a backfill is pending, and for every row when none is (docs/sharing.md):
 * id above the high water, or up to the progress.
 *
 * @param row - `new` or `old`.
 */
export function markerGateSql(row: string): string {
  return `(${row}.id > ${marker(META_KEYS.ftsRebuildHighWater.key)}
    OR ${row}.id <= ${marker(META_KEYS.ftsRebuildProgress.key)})`;
}

import type { SqliteCapabilities } from "../fts/capabilities.js";
import type { LegacyRoutingEntry } from "./legacy-routing-entry.js";

/** What an open may say about its surroundings. */
export interface InitializeOptions {
  /** What the linked SQLite can do; asked from it when not given. */
  readonly sqliteCapabilities?: SqliteCapabilities;
  /**
   * Entries of the routing file of old gateways, for files older than version 18. Called only then; undefined or a
   * throw means that there is none.
   */
  readonly legacyRouting?: () => readonly LegacyRoutingEntry[] | undefined;
  /** How many steps of 500 ids an index that this open had to empty is filled by at once. Default 20. */
  readonly backfillSteps?: number;
}

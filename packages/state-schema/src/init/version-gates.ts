import type { SqliteCapabilities } from "../fts/capabilities.js";
import { SCHEMA_VERSION } from "../tables/schema-version.js";

/** The last data migration that needs no search index. */
const LAST_GATE_WITHOUT_FTS = 25;

/** The version a file without old data may be stamped with: without FTS5, never the current one (SCH-08). */
export function latestGate(capabilities: SqliteCapabilities): number {
  return capabilities.fts5 ? SCHEMA_VERSION : LAST_GATE_WITHOUT_FTS;
}

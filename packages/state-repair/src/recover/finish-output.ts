import { openStateStore } from "@hermes/state-core";
import type { Clock, MaintenanceConnection } from "@hermes/state-core";
import { createFtsObjects, FTS_LAYOUT, FTS_TABLE, SCHEMA_VERSION } from "@hermes/state-schema";

const TABLE_PRESENT = "SELECT 1 AS present FROM sqlite_schema WHERE type = 'table' AND name = ?";
const LOWER_VERSION = "UPDATE schema_version SET version = ? WHERE version > ?";
/** Rows were inserted with their ids; the next id must come after the last. */
const COUNTER = "UPDATE sqlite_sequence SET seq = (SELECT COALESCE(MAX(id), 0) FROM messages) WHERE name = 'messages'";

function hasTable(output: MaintenanceConnection, name: string): boolean {
  return output.get(TABLE_PRESENT, [name]) !== undefined;
}

function buildIndexes(output: MaintenanceConnection): void {
  const tables = [FTS_TABLE.word, FTS_TABLE.trigram].filter((name) => hasTable(output, name));
  if (tables.length === 0) return;
  output.transaction((w) => {
    for (const table of tables) w.exec(`INSERT INTO ${table}(${table}) VALUES ('rebuild')`);
    createFtsObjects(w, FTS_LAYOUT, { trigram: tables.includes(FTS_TABLE.trigram) });
  });
}

/**
 * Builds the search indexes, closes the output, and opens it once as a store: triggers and the title index come back,
 * and rows of an older version go through the migrations that they still need.
 *
 * @param sourceVersion - The version the rows were written by, when it is known.
 */
export function finishOutput(
  output: MaintenanceConnection,
  path: string,
  sourceVersion: number | undefined,
  clock: Clock,
): void {
  try {
    output.run(COUNTER);
    buildIndexes(output);
    if (sourceVersion !== undefined && sourceVersion < SCHEMA_VERSION)
      output.run(LOWER_VERSION, [sourceVersion, sourceVersion]);
    output.pragma("synchronous=FULL");
  } finally {
    output.close();
  }
  openStateStore({ path, clock }).close();
}

import type { MaintenanceConnection } from "@hermes/state-core";
import { createFtsObjects, ftsObjects } from "@hermes/state-schema";
import type { CreatableLayout, FtsHalfObjects } from "@hermes/state-schema";

/**
 * Creates the search index of a layout where nothing of it is left, and fills it from the rows in one go.
 *
 * @param trigram - Whether the trigram index is made too.
 */
export function makeFilledIndex(connection: MaintenanceConnection, layout: CreatableLayout, trigram: boolean): void {
  createFtsObjects(connection, layout, { trigram });
  const objects = ftsObjects(layout);
  fill(connection, objects.word);
  if (trigram && objects.trigram !== undefined) fill(connection, objects.trigram);
}

function fill(connection: MaintenanceConnection, { table, columns, source }: FtsHalfObjects): void {
  const names = columns.join(", ");
  connection.exec(`INSERT INTO ${table.name}(rowid, ${names}) SELECT id, ${names} FROM ${source} ORDER BY id`);
}

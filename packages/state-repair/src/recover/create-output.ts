import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import type { Clock, MaintenanceConnection } from "@hermes/state-core";

const TRIGGERS_SQL = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
/** Old files hold titles twice; the index is made again, and heals them, when the output is opened as a store. */
const TITLE_INDEX = "idx_sessions_title_unique";

/**
 * Creates the output in the newest shape and opens it for copying: rows go in as they are, so nothing may react to
 * them. Triggers and the title index come back when the store is opened again.
 */
export function createOutput(path: string, clock: Clock): MaintenanceConnection {
  openStateStore({ path, clock }).close();
  const output = openMaintenanceConnection(path);
  try {
    output.pragma("foreign_keys=OFF");
    // A crash loses the whole output anyway, and it is flushed once it is complete.
    output.pragma("synchronous=OFF");
    output.transaction((w) => {
      for (const { name } of w.all<{ name: string }>(TRIGGERS_SQL)) w.exec(`DROP TRIGGER "${name}"`);
      w.exec(`DROP INDEX IF EXISTS ${TITLE_INDEX}`);
    });
    return output;
  } catch (error) {
    output.close();
    throw error;
  }
}

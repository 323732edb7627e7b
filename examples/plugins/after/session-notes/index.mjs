// A plugin in ESM, as it was written: named, namespace and dynamic imports of the old modules.
import * as hs from "@hermes/compat/hermes-state";
import * as hsStateCore from "@hermes/state-core";
import { likeEscape as escapeLike } from "@hermes/state-core";
import { SCHEMA_VERSION as schema } from "@hermes/state-schema";
import { cleanModelOverride as sanitizeModelOverride } from "@hermes/gateway-session";

export { PERSISTENCE_CAUSES as causes } from "@hermes/state-core";

export const name = "session-notes";

/** Writes a note into a session, pins its model, and says what the store holds then. */
export async function run(path) {
  const db = new hs.SessionDB(path);
  try {
    db.ensureSession("notes", "plugin");
    db.appendMessage("notes", "user", "buy milk: 100% oat");
    db.setSessionTitle("notes", "Notes");
    const pin = sanitizeModelOverride({ model: "small", api_key: "not to be stored" });
    const { collectStats: collectStateDbStats } = await import("@hermes/state-repair");
    const { messages } = await collectStateDbStats(path);
    return [`schema ${schema}`, `messages: ${messages}`, `pinned ${JSON.stringify(pin)}`, `like ${escapeLike("100%")}`];
  } catch (error) {
    return [`no note: ${hsStateCore.classifyPersistenceError(error)}`];
  } finally {
    db.close();
  }
}

// A plugin in ESM, as it was written: named, namespace and dynamic imports of the old modules.
import * as hs from "@hermes/compat/hermes-state";
import { escapeLike, SCHEMA_VERSION as schema } from "@hermes/compat/hermes-state-common";
import { sanitizeModelOverride } from "@hermes/compat/gateway/session";

export { PERSISTENCE_ERROR_CAUSES as causes } from "@hermes/compat/hermes-state";

export const name = "session-notes";

/** Writes a note into a session, pins its model, and says what the store holds then. */
export async function run(path) {
  const db = new hs.SessionDB(path);
  try {
    db.ensureSession("notes", "plugin");
    db.appendMessage("notes", "user", "buy milk: 100% oat");
    db.setSessionTitle("notes", "Notes");
    const pin = sanitizeModelOverride({ model: "small", api_key: "not to be stored" });
    const { collectStateDbStats } = await import("@hermes/compat/hermes-state-repair");
    const { messages } = await collectStateDbStats(path);
    return [`schema ${schema}`, `messages: ${messages}`, `pinned ${JSON.stringify(pin)}`, `like ${escapeLike("100%")}`];
  } catch (error) {
    return [`no note: ${hs.classifyPersistenceError(error)}`];
  } finally {
    db.close();
  }
}

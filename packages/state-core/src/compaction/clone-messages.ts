import type { Reader, Writer } from "@hermes/state-schema";

const COLUMNS = "SELECT name FROM pragma_table_info('messages', 'main')";

/** What a copy gets of its own; every other column of the file is copied as it is, also one nobody here knows. */
const OWN = new Set(["id", "session_id", "active", "compacted", "display_order"]);

function copySql(r: Reader): string {
  const copied = r
    .all<{ name: string }>(COLUMNS)
    .filter(({ name }) => !OWN.has(name.toLowerCase()))
    .map(({ name }) => `"${name.replaceAll('"', '""')}"`)
    .join(", ");
  return `
    INSERT INTO messages (session_id, active, compacted, ${copied})
    SELECT ?, 1, 0, ${copied} FROM messages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`;
}

/**
 * Copies messages as live ones behind everything stored so far, in their order, inside the engine and column by column
 * (COR-24).
 *
 * @param sessionId - The session the copies belong to.
 * @param ids - The originals.
 */
export function cloneMessages(w: Writer, sessionId: string, ids: readonly number[]): void {
  if (ids.length > 0) w.run(copySql(w), [sessionId, JSON.stringify(ids)]);
}

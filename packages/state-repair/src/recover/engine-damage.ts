import type { MaintenanceConnection } from "@hermes/state-core";

const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ|IOERR_READ|IOERR$|TOOBIG|FORMAT|NOMEM)/;

/** True for an error that the damaged copy causes; a full disk or a bug of ours is not one. */
export function isDamage(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error)) return false;
  const code = String((error as { code?: unknown }).code);
  return DAMAGE.test(code) || (code === "SQLITE_ERROR" && error.message.includes("malformed"));
}

/** Runs one chunk in a transaction that locks the output only, not the copy that is attached to it. */
export function inChunk<T>(connection: MaintenanceConnection, work: () => T): T {
  connection.exec("BEGIN");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // The engine may have ended it already.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

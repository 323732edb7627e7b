import type { MaintenanceConnection } from "@hermes/state-core";
import { probeCapabilities } from "@hermes/state-schema";
import { openSchema, reloadSchema } from "../strategies/schema-rows.js";
import type { Diagnosis, Strategy, Treatment } from "../strategies/strategy.js";
import { lostSince, proveRows } from "./rows-proof.js";
import type { RowsProof } from "./rows-proof.js";

/** The rows of a treated file are not provably the rows it had. */
export class RowsChanged extends Error {
  override readonly name: string = "RowsChanged";
}

/**
 * One treatment inside the caller's transaction, with the proof that every row is as it was.
 *
 * @throws RowsChanged, and whatever the strategy ran into
 */
export function treatProven(
  connection: MaintenanceConnection,
  strategy: Strategy,
  diagnosis: Diagnosis,
  rows: RowsProof,
): Treatment {
  openSchema(connection);
  const treatment = strategy.treat(connection, diagnosis, probeCapabilities(connection));
  flushSearchIndexes(connection);
  requireRows(connection, rows);
  connection.pragma("writable_schema=RESET");
  return treatment;
}

/**
 * A search index keeps what it has learnt in memory until a savepoint or the commit, and a schema that is read again
 * makes a second index object that would not know of it.
 */
function flushSearchIndexes(connection: MaintenanceConnection): void {
  connection.exec("SAVEPOINT flush");
  connection.exec("RELEASE flush");
}

/** @throws RowsChanged when a table does not hold exactly the rows it held. */
export function requireRows(connection: MaintenanceConnection, rows: RowsProof): void {
  openSchema(connection);
  const lost = lostSince(rows, proveRows(connection));
  if (lost.length > 0) throw new RowsChanged(lost.join("; "));
}

/**
 * Writes the file anew without pages that belong to nothing, if the whole schema can be read: what cannot be read then
 * would be left out without a word.
 *
 * @returns False when it was not done.
 * @throws RowsChanged
 */
export function compact(connection: MaintenanceConnection, rows: RowsProof): boolean {
  if (reloadSchema(connection) !== undefined) return false;
  connection.retakeBarriers();
  connection.exec("VACUUM");
  requireRows(connection, rows);
  connection.pragma("writable_schema=RESET");
  return true;
}

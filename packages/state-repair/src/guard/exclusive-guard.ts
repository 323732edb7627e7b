import { isBusyError, openMaintenanceConnection } from "@hermes/state-core";
import type { Driver, MaintenanceConnection } from "@hermes/state-core";
import { liveWriterRefusal } from "./live-writer.js";

/** Seams of the guard, for tests. */
export interface GuardOptions {
  readonly driver?: Driver;
  readonly platform?: string;
  /** Lets statements edit the schema table, for strategies. */
  readonly unsafe?: boolean;
}

/**
 * Locks everybody else out of a database for as long as the connection is open: snapshot, strategies and promotion
 * happen behind it. Take the bundle before; while the guard is open this process has no raw access, and its close may
 * move the log into the database.
 *
 * @param path - The database.
 * @returns The connection itself, to be closed by the caller, also when a step fails.
 * @throws STATE_E_STORE_HELD when anybody holds a lock; errors of the driver for a file that cannot be locked at all.
 * Source of the rule: REP-08.
 */
export function openExclusiveGuard(path: string, options: GuardOptions = {}): MaintenanceConnection {
  const guard = openMaintenanceConnection(path, { busyTimeoutMs: 0, ...options });
  try {
    guard.pragma("locking_mode=EXCLUSIVE");
    guard.exec("BEGIN EXCLUSIVE");
    guard.exec("ROLLBACK");
    return guard;
  } catch (error) {
    guard.close();
    if (isBusyError(error)) throw liveWriterRefusal(path, "repair", { via: "lock", holders: [] });
    throw error;
  }
}

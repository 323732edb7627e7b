import { canonicalPath, isBusyError, openMaintenanceConnection } from "@hermes/state-core";
import type { Driver, MaintenanceConnection } from "@hermes/state-core";
import type { ForensicBundle } from "../evidence/bundle-result.js";
import { isAsBundled } from "../evidence/is-as-bundled.js";
import { liveWriterRefusal } from "./live-writer.js";

/** How to lock everybody out. */
export interface GuardOptions {
  /** What was copied before; the guard is refused when the database is another one by now. */
  readonly bundle?: ForensicBundle;
  readonly driver?: Driver;
  readonly platform?: string;
  /** Lets statements edit the schema table, for strategies. */
  readonly unsafe?: boolean;
}

function lockOut(guard: MaintenanceConnection, path: string): void {
  try {
    guard.pragma("locking_mode=EXCLUSIVE");
    guard.exec("BEGIN EXCLUSIVE");
    guard.exec("ROLLBACK");
  } catch (error) {
    throw isBusyError(error) ? liveWriterRefusal(path, "repair", { via: "lock", holders: [] }) : error;
  }
}

/**
 * Locks everybody else out of a database for as long as the connection is open: snapshot, strategies and promotion
 * happen behind it. Take the bundle before; while the guard is open this process has no raw access, and its close may
 * move the log into the database.
 *
 * @param path - The database.
 * @returns The connection itself, to be closed by the caller, also when a step fails.
 * @throws STATE_E_STORE_HELD when anybody holds a lock or has written since the bundle was taken; errors of the driver
 * for a file that cannot be locked at all. Source of the rule: REP-08.
 */
export function openExclusiveGuard(path: string, options: GuardOptions = {}): MaintenanceConnection {
  const { bundle, ...rest } = options;
  const guard = openMaintenanceConnection(path, { busyTimeoutMs: 0, ...rest });
  try {
    lockOut(guard, path);
    if (bundle === undefined || isAsBundled(canonicalPath(path), bundle)) return guard;
    throw liveWriterRefusal(path, "repair", { via: "written", holders: [] });
  } catch (error) {
    guard.close();
    throw error;
  }
}

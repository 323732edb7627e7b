import { statSync } from "node:fs";
import { isBusyError, openMaintenanceConnection } from "@hermes/state-core";
import type { Driver, MaintenanceConnection } from "@hermes/state-core";

const FIRST_ROW = "SELECT 1 AS ok FROM sqlite_master LIMIT 1";

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Damage is no sign of a writer: only being busy counts. */
function saysBusy(step: () => unknown): boolean {
  try {
    step();
    return false;
  } catch (error) {
    return isBusyError(error);
  }
}

/**
 * A first reader that shares the file while the probe closes: the last connection to close would move the log into the
 * database, and the bundle is taken only afterwards.
 */
function closeKeepingLog(probe: MaintenanceConnection, path: string, driver: Driver | undefined): void {
  saysBusy(() => probe.get(FIRST_ROW));
  const witness = openMaintenanceConnection(path, { readonly: true, busyTimeoutMs: 0, ...(driver && { driver }) });
  try {
    saysBusy(() => witness.get(FIRST_ROW));
    probe.close();
  } finally {
    witness.close();
  }
}

/**
 * Asks SQLite's own locks whether somebody uses the file, without waiting. It leaves database, log and journal as they
 * are, so where opening the file would roll back a journal, or drop the log of an empty file, it does not ask.
 *
 * @param path - Canonical path of a database that this process does not have open.
 * @returns True when it is in use. False proves little: an idle connection in DELETE mode holds nothing.
 */
export function isLockedByOthers(path: string, driver?: Driver): boolean {
  if (bytesOf(`${path}-journal`) > 0 || bytesOf(path) === 0) return false;
  const keepsLog = bytesOf(`${path}-wal`) > 0;
  const probe = openMaintenanceConnection(path, { busyTimeoutMs: 0, ...(driver && { driver }) });
  try {
    const steps = [
      ...(keepsLog ? [() => probe.get(FIRST_ROW)] : []),
      () => probe.pragma("locking_mode=EXCLUSIVE"),
      () => {
        probe.exec("BEGIN IMMEDIATE");
        probe.exec("ROLLBACK");
      },
    ];
    const busy = steps.map(saysBusy).includes(true);
    saysBusy(() => probe.pragma("locking_mode=NORMAL"));
    if (keepsLog) closeKeepingLog(probe, path, driver);
    return busy;
  } finally {
    probe.close();
  }
}

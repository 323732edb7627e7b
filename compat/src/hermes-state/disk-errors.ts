import { classifyPersistenceError, isStateError } from "@hermes/state-core";

/** Whether an error says that the file is damaged or is no database. */
export function isMalformedDbError(error: unknown): boolean {
  return ["corrupt", "fts_index"].includes(classifyPersistenceError(error));
}

const NO_SPACE = /no space left|not enough space|disk is full|disk full|full disk|enospc/i;

/** Whether an error says that the disk is full; other troubles of a disk are none. */
export function isDiskFullError(error: unknown): boolean {
  if (isStateError(error)) return error.code === "STATE_E_DISK_FULL";
  if (error instanceof Error) {
    if ("code" in error && (error.code === "SQLITE_FULL" || error.code === "ENOSPC")) return true;
    return NO_SPACE.test(error.message);
  }
  return typeof error === "string" && NO_SPACE.test(error);
}

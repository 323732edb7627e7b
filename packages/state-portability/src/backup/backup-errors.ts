import { classifyPersistenceError, isStateError, StateError } from "@hermes/state-core";

/** The space guard said no; nothing was written. */
export function noRoom(folder: string, purpose: string, needed: number, free: number | undefined): StateError {
  const known = free === undefined ? "nobody can say how much is free" : `${String(free)} are free`;
  return new StateError(
    "STATE_E_DISK_FULL",
    `Not enough room in ${folder} for ${purpose}: it needs ${String(needed)} bytes and a reserve, and ${known}. ` +
      "Nothing was changed. Free that much, or choose a folder on another volume.",
    { folder, neededBytes: needed, freeBytes: free },
  );
}

/** The copy did not pass the full check, so that it is no backup. */
export function copyUnsound(path: string, verdict: string, details: readonly string[]): StateError {
  return new StateError(
    "STATE_E_BACKUP_UNSOUND",
    `No backup of ${path} was made: its copy is ${verdict} (${details.slice(0, 3).join("; ") || "nothing more known"}` +
      "). Earlier backups stay. Look at the store itself: hermes-state repair --plan.",
    { path, verdict, details },
  );
}

/** The file is no backup that may be put in place of a store. */
export function backupInvalid(file: string, problems: readonly string[]): StateError {
  return new StateError(
    "STATE_E_BACKUP_INVALID",
    `${file} is not restored: ${problems.join("; ")}. Nothing was changed. Choose another backup: ` +
      "hermes-state backup list.",
    { file, problems },
  );
}

const CODE_OF_CAUSE: Readonly<Record<string, `STATE_E_${string}`>> = {
  corrupt: "STATE_E_CORRUPT",
  locked: "STATE_E_BUSY",
  disk_full: "STATE_E_DISK_FULL",
};

/** Anything the engine or the system says while files are copied, as a typed error; others travel on as they are. */
export function typedCopyError(error: unknown, doing: string, path: string): unknown {
  if (isStateError(error) || !(error instanceof Error)) return error;
  const { code, errno } = error as NodeJS.ErrnoException;
  const engine = typeof code === "string" && code.startsWith("SQLITE_");
  if (!engine && errno === undefined) return error;
  const bucket = classifyPersistenceError(error);
  return new StateError(
    CODE_OF_CAUSE[bucket] ?? "STATE_E_BACKUP_FAILED",
    `Could not ${doing} ${path}: ${error.message}. Nothing was changed. Check the path; look at a store with: ` +
      "hermes-state check",
    { path, doing, bucket },
    { cause: error },
  );
}

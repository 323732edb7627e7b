/** The files SQLite keeps beside a database: always handled as one bundle with it. */
export const SIDECAR_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/** Kernel locks beside a database; their names are shared with the peer (docs/locking.md). */
export const LOCK_SUFFIX = {
  ftsRebuild: ".fts_rebuild.lock",
  repair: ".repair.lock",
  autoMaintenance: ".auto-maintenance.lock",
} as const;

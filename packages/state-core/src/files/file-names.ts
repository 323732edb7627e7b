/** The files SQLite keeps beside a database: always handled as one bundle with it. */
export const SIDECAR_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/** Kernel locks beside a database; their names are shared with the peer (docs/locking.md). */
export const LOCK_SUFFIX = {
  ftsRebuild: ".fts_rebuild.lock",
  repair: ".repair.lock",
  autoMaintenance: ".auto-maintenance.lock",
} as const;

/** Beginning of the suffix of a copy that was taken before placeholder texts were emptied; a time follows. */
export const PRE_CLEAN_BACKUP = ".pre-clean-markers-backup-";

/** What a repair keeps beside a database; the names are shared with the peer. A time follows the second and third. */
export const REPAIR_NAME = {
  ledger: ".repair-attempts.json",
  bundle: ".malformed-backup-",
  staging: ".backup-staging-",
  scratch: ".repair-scratch",
} as const;

/**
 * A derived index beside a database that only speeds searching up. It holds fragments of messages: erase and backup
 * handle it (and its {@link SIDECAR_SUFFIXES}) with the database, and it may be deleted at any time.
 */
export const SEARCH_SIDE_SUFFIX = ".search-side";

/**
 * The folder beside a database where messages wait that it could not take, one file each; the names are shared with the
 * peer. It holds what people said: erase and backup look at it with the database. `setAside` stands behind the whole
 * name of a message that no store takes.
 */
export const SPOOL_NAME = {
  folder: "pending_messages",
  prefix: "pending-",
  suffix: ".json",
  setAside: ".bad",
} as const;

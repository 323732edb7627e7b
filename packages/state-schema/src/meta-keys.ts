/** Who writes a key; nobody else changes or deletes it. */
export type MetaOwner = "search" | "store" | "maintenance" | "gateway" | "host";

/** How the text of a value is read. Text that does not parse reads as absent. */
export type MetaValueType = "flag" | "integer" | "seconds" | "hex" | "uuid" | "iso-time" | "json" | "text";

/** One known key of `state_meta`. */
export interface MetaKeyModel {
  /** The key, or the beginning of a family of keys when `prefix` is true. */
  readonly key: string;
  readonly prefix: boolean;
  readonly owner: MetaOwner;
  readonly type: MetaValueType;
  readonly about: string;
}

const exact = (key: string, owner: MetaOwner, type: MetaValueType, about: string): MetaKeyModel =>
  Object.freeze({ key, prefix: false, owner, type, about });
const family = (key: string, owner: MetaOwner, type: MetaValueType, about: string): MetaKeyModel =>
  Object.freeze({ key, prefix: true, owner, type, about });

/**
 * The keys of `state_meta` that are known, with owner and type. Any other key is somebody else's.
 */
export const META_KEYS = Object.freeze({
  ftsStorageVersion: exact("fts_storage_version", "search", "integer", "last stamped layout; a mere hint"),
  ftsOptimizeAvailable: exact("fts_optimize_available", "search", "flag", "the index can be upgraded"),
  ftsRebuildHighWater: exact("fts_rebuild_high_water", "search", "integer", "pending backfill: ids above are indexed"),
  ftsRebuildProgress: exact("fts_rebuild_progress", "search", "integer", "pending backfill: ids up to it are indexed"),
  ftsStale: exact("fts_stale", "search", "flag", "the index is detached: no triggers until it is rebuilt"),
  ftsRebuildDeferral: exact("fts_rebuild_deferral", "search", "json", "why a rebuild was put off"),
  ftsCjkStale: exact("fts_cjk_stale", "search", "flag", "the CJK index missed writes"),
  ftsCjkRebuildHighWater: exact("fts_cjk_rebuild_high_water", "search", "integer", "the same for the CJK index"),
  ftsCjkRebuildProgress: exact("fts_cjk_rebuild_progress", "search", "integer", "the same for the CJK index"),
  ftsTeardownProgress: family("fts_teardown_", "search", "integer", "how far an old index table is emptied"),
  dbFileGeneration: exact("db_file_generation", "store", "hex", "one life of the file, written once"),
  storeInstanceId: exact("store_instance_id", "store", "uuid", "identity given when the file was created"),
  storeCreatedAtUtc: exact("store_created_at_utc", "store", "iso-time", "when the file was created"),
  lastAutoPrune: exact("last_auto_prune", "maintenance", "seconds", "when automatic pruning last ran"),
  lastVacuum: exact("last_vacuum", "maintenance", "seconds", "when the file was last compacted"),
  lastAutoArchive: exact("last_auto_archive", "maintenance", "seconds", "when automatic archiving last ran"),
  ghostSessionPrune: exact("ghost_session_prune_v1", "host", "flag", "a one-time cleanup is done"),
  orphanedCompressionFinalize: exact("orphaned_compression_finalize_v1", "host", "flag", "as before"),
  kanbanRetagged: family("kanban_worker_source_retagged:", "host", "flag", "a one-time retag of one board is done"),
  telegramTopicSchema: exact("telegram_dm_topic_schema_version", "gateway", "integer", "version of the topic tables"),
  goal: family("goal:", "host", "json", "per-session state of the host"),
  heartbeat: family("heartbeat:", "host", "json", "per-session state of the host"),
  loop: family("loop:", "host", "json", "per-session state of the host"),
} satisfies Record<string, MetaKeyModel>) as Readonly<Record<MetaKeyName, MetaKeyModel>>;

/** Name under which {@link META_KEYS} holds a key. */
export type MetaKeyName =
  | "ftsStorageVersion"
  | "ftsOptimizeAvailable"
  | "ftsRebuildHighWater"
  | "ftsRebuildProgress"
  | "ftsStale"
  | "ftsRebuildDeferral"
  | "ftsCjkStale"
  | "ftsCjkRebuildHighWater"
  | "ftsCjkRebuildProgress"
  | "ftsTeardownProgress"
  | "dbFileGeneration"
  | "storeInstanceId"
  | "storeCreatedAtUtc"
  | "lastAutoPrune"
  | "lastVacuum"
  | "lastAutoArchive"
  | "ghostSessionPrune"
  | "orphanedCompressionFinalize"
  | "kanbanRetagged"
  | "telegramTopicSchema"
  | "goal"
  | "heartbeat"
  | "loop";

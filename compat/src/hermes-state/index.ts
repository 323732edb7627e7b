export { applyDatabasePragmas } from "./apply-database-pragmas.js";
export type { DatabaseSettings, PragmaOptions } from "./apply-database-pragmas.js";
export { applyWalWithFallback } from "./apply-wal-with-fallback.js";
export type { WalOptions } from "./apply-wal-with-fallback.js";
export { DEFAULT_DB_PATH } from "./default-db-path.js";
export { isDiskFullError, isMalformedDbError } from "./disk-errors.js";
export {
  CompressionSessionBusyError,
  CompressionSessionClosedError,
  SessionCompressionInProgressError,
  SessionExportTooLargeError,
  SessionResumeTooLargeError,
  WalUnsupportedError,
} from "./error-classes.js";
export { formatSessionDbUnavailable } from "./format-unavailable.js";
export { fts5CjkSoPath, loadFts5CjkExtension } from "./fts5-cjk.js";
export type { LoadingConnection } from "./fts5-cjk.js";
export { isSqliteWalResetVulnerable } from "./is-sqlite-wal-reset-vulnerable.js";
export { isZeroedStateDb } from "./is-zeroed-state-db.js";
export type { ZeroProbe } from "./is-zeroed-state-db.js";
export { getLastInitError } from "./last-init-error.js";
export { preflightDbWritability } from "./preflight-db-writability.js";
export { quarantineZeroedStateDb } from "./quarantine-zeroed-state-db.js";
export { resolveJournalMode } from "./resolve-journal-mode.js";
export type { JournalConfig } from "./resolve-journal-mode.js";
export { resolvedMaxExportMessages, resolvedMaxResumeMessages } from "./resolved-limits.js";
export { MAX_SAFE_EXPORT_MESSAGES, MAX_SAFE_RESUME_MESSAGES } from "./size-limits.js";
export type { SqliteHandle } from "./sqlite-handle.js";
export { sqliteSourceId } from "./sqlite-library.js";
export { workspaceKey } from "./workspace-key.js";
export type { WorkspaceRow } from "./workspace-key.js";

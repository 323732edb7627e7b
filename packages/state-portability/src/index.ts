export { codecs } from "./codecs.js";
export { detectFormat } from "./detect/detect-format.js";
export type { DetectedFormat } from "./detect/detect-format.js";

export { exportStore } from "./export/export-store.js";
export type { ExportOptions, ExportReport } from "./export/export-options.js";
export { exportThenDelete, requireLossless } from "./export/export-then-delete.js";
export type { ExportThenDeleteOptions, ExportThenDeleteReport } from "./export/export-then-delete.js";
export { deletionTargets } from "./export/deletion.js";
export { LINEAGE_SCOPES, lineageSessions } from "./export/lineage-sessions.js";
export type { LineageScope } from "./export/lineage-sessions.js";
export type { ExportCodec, ExportCounts, ExportFormat, Losses } from "./export/export-codec.js";
export type { SessionDocument } from "./export/session-document.js";
export type { Sink } from "./export/sink.js";
export { fileSink } from "./export/file-sink.js";
export type { FileSinkOptions } from "./export/file-sink.js";
export { writableSink } from "./export/writable-sink.js";

export { importInto } from "./import/import-into.js";
export type { ImportMode } from "./import/conflict/decision.js";
export type { ImportOptions } from "./import/import-into.js";
export type { ImportItem, ImportReport } from "./import/import-report.js";
export type { ImportFormatName, ImportProblem } from "./import/import-reader.js";
export type { ImportSource } from "./import/open-source.js";
export type { WantedLink } from "./import/plan-links.js";

export { PEER_IMPORT_LIMITS, STATE_IMPORT_LIMITS } from "./limits/import-limits.js";
export type { ImportLimits } from "./limits/import-limits.js";

export { DERIVED_COLUMNS, RUNTIME_COLUMNS } from "./rows/entities.js";
export type { ChildEntity } from "./rows/entities.js";
export { readPeerSession } from "./peer-jsonl/read-peer-session.js";
export { RawText } from "./rows/raw-row.js";
export type { Cell, RawRow } from "./rows/raw-row.js";
export type { StoreShape } from "./rows/read-session.js";
export type { ColumnShape, TableShape } from "./rows/table-shape.js";
export { STATE_JSONL_FORMAT, STATE_JSONL_VERSION } from "./state-jsonl/records.js";

export { backupStore } from "./backup/backup-store.js";
export type { BackupOptions, NewBackup } from "./backup/backup-store.js";
export type { BackupRecord } from "./backup/backup-record.js";
export { listBackups } from "./backup/list-backups.js";
export type { Backup } from "./backup/list-backups.js";
export { restoreStore } from "./backup/restore-store.js";
export type { RestoreOptions, RestoreReport } from "./backup/restore-store.js";
export type { BackupStage, RestoreStage } from "./backup/stages.js";
export { verifyBackup } from "./backup/verify-backup.js";
export type { BackupVerification, VerifyBackupOptions } from "./backup/verify-backup.js";
export { DEFAULT_BACKUP_FOLDER } from "./backup/default-backup-folder.js";

export { eraseSessions } from "./erase/erase-sessions.js";
export type { EraseOptions, ErasureProof } from "./erase/erasure.js";
export { findPendingErasures } from "./erase/pending-erasure.js";
export type { PendingErasure } from "./erase/pending-erasure.js";
export type { ScannedFile } from "./erase/scan-files.js";

export { redact } from "./redact/redact.js";
export type { OwnPatterns } from "./redact/check-patterns.js";
export { SECRET_PATTERNS } from "./redact/secret-patterns.js";
export type { SecretPattern } from "./redact/secret-pattern.js";

export type { Reader, RunResult, SchemaHost, SqlRow, SqlValue, Writer } from "./sql/handles.js";

export type { DeferralReason, RebuildAdmission, RebuildObstacle } from "./sql/rebuild-admission.js";

export type {
  ColumnModel,
  ColumnType,
  ForeignKeyModel,
  IndexModel,
  IndexStage,
  TableModel,
} from "./tables/table-model.js";
export { REQUIRED_TABLES, TABLES, type TableName } from "./tables/tables.js";
export { SCHEMA_VERSION } from "./tables/schema-version.js";
export { DISPLAY_TRIGGERS } from "./tables/display-triggers.js";
export { columnNames } from "./tables/column-names.js";
export { columnsAt, knownColumnCounts, tableGenerations, upgradedOrder } from "./tables/column-history.js";
export { renderColumn, renderDefault, renderIndex, renderTable } from "./tables/render-table.js";

export { META_KEYS, type MetaKeyModel, type MetaKeyName, type MetaOwner, type MetaValueType } from "./meta-keys.js";

export type { FtsLayout, IndexHalf, IndexState, PendingBackfill } from "./fts/index-state.js";
export { probeCapabilities, type SqliteCapabilities } from "./fts/capabilities.js";
export { TRIGRAM_EXCLUDED_SOURCES, trigramAdmissionSql } from "./fts/admission.js";
export { INDEXED_TOOL_CHARACTERS, indexedContentSql, inlineContentSql } from "./fts/projection.js";
export { createFtsObjects, FTS_LAYOUT, ftsObjects, type CreatableLayout } from "./fts/create-fts-objects.js";
export type { FtsHalfObjects, FtsObjects, FtsStatement } from "./fts/fts-objects.js";
export { beginBulkIndexing, finishBulkIndexing, type BulkIndexing } from "./fts/bulk-indexing.js";
export { createIndexObjects } from "./fts/create-index.js";
export { detachFts } from "./fts/detach-fts.js";
export { isHollow } from "./fts/is-hollow.js";
export { detectFtsLayout } from "./fts/detect-fts-layout.js";
export { ALL_FTS_TRIGGERS, FTS_SOURCE, FTS_TABLE, FTS_TRASH_PREFIX, ftsTriggers, type FtsHalf } from "./fts/names.js";
export { readIndexState } from "./fts/read-index-state.js";
export { recoverIndex, type IndexRecovery, type RecoveryHost } from "./fts/recover-index.js";
export { readRebuildDeferral, type RebuildDeferral } from "./fts/rebuild-deferral.js";
export { IndexReplacementError, replaceIndex, type ReplacedIndex, type ReplacingHost } from "./fts/replace-index.js";
export { BACKFILL_CHUNK, stepBackfill, type BackfillStep } from "./fts/step-backfill.js";
export { lowerUserMerge, mergeableTables, mergePages } from "./fts/merge.js";
export { isUpgradeAvailable, type UpgradePlan } from "./fts/upgrade/plan-upgrade.js";
export { UnreadableTableError } from "./fts/drop-index.js";
export { prepareUpgrade } from "./fts/upgrade/prepare-upgrade.js";
export { settleIndex, unsettledBecause, type UnsettledReason } from "./fts/upgrade/settle-index.js";
export { stepTeardown, TEARDOWN_CHUNK, type TeardownStep } from "./fts/upgrade/step-teardown.js";

export { initializeSchema } from "./init/initialize-schema.js";
export { readSchemaVersion } from "./init/schema-facts.js";
export { dropUnservedTriggers } from "./init/trigger-safety.js";
export type { InitializeOptions } from "./init/initialize-options.js";
export type { LegacyRoutingEntry } from "./init/legacy-routing-entry.js";
export type { IndexWork, SchemaHeals, SchemaProblem, SchemaReport } from "./init/schema-report.js";

export { planReadOverlay } from "./probe/plan-read-overlay.js";
export { probeSchema, probeSql, type SchemaProbe } from "./probe/probe-schema.js";

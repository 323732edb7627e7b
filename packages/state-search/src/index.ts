export { searchMessages, type SearchableStore } from "./search-messages.js";
export type { SearchOptions, SearchSort } from "./options/search-options.js";
export type { IncompleteReason, ReadReason, SearchAnswer, SearchRoute } from "./answer/search-answer.js";
export { HIT_FIELDS, type ContextMessage, type HitField, type SearchHit } from "./answer/search-hit.js";

export { parseQuery } from "./language/parse-query.js";
export type { AndNode, OrNode, Query, QueryHint, QueryNode, TermAtom, TermNode } from "./language/query.js";

export { catchUpSideIndex, type SideCatchUp } from "./side-index/catch-up-side-index.js";
export { dropSideIndex } from "./side-index/drop-side-index.js";

export { findSessionsById, type IdMatch, type IdRank, type IdSearchOptions } from "./listing/find-sessions-by-id.js";
export { firstAssistantText } from "./listing/first-assistant-text.js";
export { listCronRuns, type CronRunOptions } from "./listing/list-cron-runs.js";
export { listSkillSessions, type SkillSession } from "./listing/list-skill-sessions.js";
export { listWorkingDirectories, type WorkingDirectory } from "./listing/list-working-directories.js";
export type { ListingStore } from "./listing/listing-store.js";

export { sessionSearch } from "./session-search/session-search.js";
export type { SessionSearchArgs } from "./session-search/read-args.js";
export type { SearchCaller, SessionSearchHost } from "./session-search/session-search-host.js";
export type { SessionSearchReply } from "./session-search/session-search-reply.js";
export type { SessionStore } from "./session-search/session-store.js";

export { type BackfillOptions, type BackfillReport, runBackfill, stepBackfill } from "./index-life/backfill.js";
export { isOptimizeAvailable } from "./index-life/is-optimize-available.js";
export { mergeIndexes, optimizeIndexes, type OptimizeReport } from "./index-life/merge.js";
export { optimizeStorage, type OptimizeStorageOptions } from "./index-life/optimize-storage.js";
export type {
  StorageError,
  StorageNotOptimized,
  StorageOptimized,
  StorageRefusal,
  StorageReport,
  StorageSizes,
} from "./index-life/storage-report.js";

export { rebuildIndexes } from "./index-life/rebuild.js";
export type { RebuildOptions } from "./index-life/rebuild-options.js";
export type { IndexesNotRebuilt, IndexesRebuilt, RebuildFailure, RebuildReport } from "./index-life/rebuild-report.js";
export type { RebuildableStore } from "./index-life/rebuild-with.js";
export { retryStaleRecovery, type RetryOptions } from "./index-life/recovery.js";
export type { RecoverableStore } from "./index-life/recovery-host.js";
export type { IdleReason, StaleRetry } from "./index-life/stale-retry.js";
export { type BackfillStatus, type DeferralStatus, indexStatus, type IndexStatus } from "./index-life/status.js";

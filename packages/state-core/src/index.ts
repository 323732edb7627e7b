export { openStateStore } from "./store/open-state-store.js";
export { acquireStateStore, sharedStateStores } from "./store/acquire-state-store.js";
export type { OpenOptions } from "./store/open-options.js";
export type { StateStore } from "./store/state-store.js";
export type { PatienceClass, StoreContext } from "./store/context.js";
export type { StoreInfo } from "./store/store-info.js";
export type { OtherHolders } from "./store/store-file.js";

export { systemClock } from "./clock/clock.js";
export type { Clock } from "./clock/clock.js";
export { systemRandom } from "./clock/random.js";
export type { Random } from "./clock/random.js";

export { checkKnownOptions } from "./config/check-known-options.js";
export { defaultStatePath, stateHome } from "./config/default-state-path.js";
export { configuredSizeLimit } from "./config/size-limit.js";
export type { SizedOperation } from "./config/size-limit.js";
export { guardTestIsolation } from "./config/isolation-guard.js";
export type { GuardSurroundings } from "./config/isolation-guard.js";

export { isStateError, StateError } from "./errors/state-error.js";
export type { ErrorFacts, StateErrorCode } from "./errors/state-error.js";
export { classifyPersistenceError, isBusyError, PERSISTENCE_CAUSES } from "./errors/classify-persistence-error.js";
export type { PersistenceCause } from "./errors/classify-persistence-error.js";
export { explainPersistenceCause } from "./errors/explain-persistence-cause.js";

export type { Driver, DriverConnection, DriverOpenOptions, DriverStatement } from "./driver/driver.js";
export { betterSqlite3Driver } from "./driver/better-sqlite3-driver.js";

export {
  canonicalPath,
  closeWithLastConnection,
  liveConnectionCount,
  openOfflineScope,
} from "./connection/live-connections.js";
export { MaintenanceConnection, openMaintenanceConnection } from "./connection/maintenance-connection.js";
export type { MaintenanceOptions } from "./connection/maintenance-connection.js";
export { dataRanges } from "./files/data-ranges.js";
export type { DataRange } from "./files/data-ranges.js";
export { inspectFile } from "./connection/inspect-file.js";
export { isCrossVmMount } from "./connection/cross-vm-mount.js";
export { applyJournalPolicy } from "./connection/journal-policy.js";
export type { JournalChoice, JournalSurroundings, JournalWarning } from "./connection/journal-policy.js";
export { hasWalResetBug } from "./connection/wal-reset-bug.js";
export { hardenModes } from "./files/harden-modes.js";
export { PRIVATE_MODE, syncFolder, writePrivateFile } from "./files/private-file.js";
export type { HeaderKind, HeaderReport } from "./files/inspect-header.js";
export { LOCK_SUFFIX, REPAIR_NAME, SEARCH_SIDE_SUFFIX, SIDECAR_SUFFIXES, SPOOL_NAME } from "./files/file-names.js";
export { admitRebuild, REBUILD_WAIT_MS } from "./locking/admit-rebuild.js";
export type { AdmissionRequest } from "./locking/admit-rebuild.js";
export { acquireKernelLock } from "./locking/kernel-lock.js";
export type { LockAttempt } from "./locking/kernel-lock.js";
export { findHolders } from "./locking/find-holders.js";
export type { HolderScan } from "./locking/find-holders.js";
export type { Holder } from "./locking/holder.js";
export type { HolderRecord } from "./locking/holder-record.js";

export { contentText } from "./codec/content-text.js";
export { CONTENT_PREFIX } from "./codec/content-prefix.js";
export { decodeCursor, encodeCursor } from "./codec/cursor.js";
export { decodeContent } from "./codec/decode-content.js";
export { decodeDisplayMetadata, encodeDisplayMetadata } from "./codec/display-metadata.js";
export { encodeContent } from "./codec/encode-content.js";
export { isoTime } from "./codec/iso-time.js";
export { decodeJsonText, encodeJsonText } from "./codec/json-text.js";
export { isJsonObject } from "./codec/json-object.js";
export type { ContentPart, JsonObject, JsonValue, MessageContent } from "./codec/json-value.js";
export { likeEscape } from "./codec/like-escape.js";
export type { Maybe } from "./codec/maybe.js";
export { decodeModelConfig, encodeModelConfig, mergeModelConfig } from "./codec/model-config.js";
export { parsePythonJson } from "./codec/parse-python-json.js";
export { pythonJson } from "./codec/python-json.js";
export { RowDecoder, rowKey } from "./codec/row-decoder.js";
export type { RowShape } from "./codec/row-decoder.js";
export { checkSeconds, isSaneSeconds, SECONDS_LIMIT, saneSecondsSql } from "./codec/seconds.js";
export { toolCallParts } from "./codec/tool-call-parts.js";
export type { ToolCallParts } from "./codec/tool-call-parts.js";
export { decodeToolCalls, encodeToolCalls } from "./codec/tool-calls.js";
export type { EncodedToolCalls } from "./codec/tool-calls.js";
export { visibleText } from "./codec/visible-text.js";

export {
  AUTOMATIC_END_REASONS,
  BOUNDARY_END_REASONS,
  BRANCHED_END_REASON,
  COMPRESSION_END_REASON,
  OTHER_END_REASONS,
  RECOVERABLE_END_REASONS,
  RESET_END_REASONS,
} from "./sessions/end-reasons.js";
export { describeSessions } from "./sessions/list/describe-sessions.js";
export type { SessionFilter, SessionIterateOptions, SessionListOptions } from "./sessions/list/session-filter.js";
export type { SessionMatch } from "./sessions/list/session-match.js";
export type { SessionPage, SessionSummary } from "./sessions/list/session-summary.js";
export type { SessionResolution } from "./sessions/resolve-session.js";
export { SESSION_DECODER } from "./sessions/session-decoder.js";
export { newSessionId } from "./sessions/session-id.js";
export type { SessionFields } from "./sessions/session-fields.js";
export type { Session, SessionRow } from "./sessions/session-row.js";
export { Sessions } from "./sessions/sessions.js";
export { activitySql } from "./sessions/activity-sql.js";
export type { ActivityProvenance, SessionActivity } from "./sessions/touch-session.js";
export type { SessionFlag } from "./sessions/flags/set-flag.js";
export type { GitPlace, GitProbe } from "./sessions/git-place.js";
export type { BillingRoute } from "./sessions/update-session.js";

export { MESSAGE_DECODER } from "./messages/message-decoder.js";
export type { MessageIterateOptions, MessagePage, MessagePageOptions, MessageScope } from "./messages/message-page.js";
export { MessageReader } from "./messages/message-reader.js";
export type { MessageRow } from "./messages/message-row.js";
export { Messages } from "./messages/messages.js";
export type { NewMessage } from "./messages/new-message.js";
export { reactionsIn } from "./messages/reactions/reaction.js";
export type { Reaction, ReactionChange, UnseenReaction } from "./messages/reactions/reaction.js";
export type { AppendOptions } from "./messages/append-options.js";
export type { MessageReceipt } from "./messages/receipt.js";
export type { ResumedConversation } from "./messages/resume-conversation.js";
export type { ReplacedTranscript, ReplaceMode } from "./messages/rewriting/replace.js";
export type { RestoreReceipt } from "./messages/rewriting/restore.js";
export type { RewindReceipt } from "./messages/rewriting/rewind.js";
export { PERSISTED_MARKER } from "./messages/saving/persisted-marker.js";
export type { SavedTranscript, SaveTranscriptOptions } from "./messages/saving/save-transcript.js";
export { toWireMessages } from "./messages/saving/to-wire-messages.js";
export type { WireMessage } from "./messages/saving/to-wire-messages.js";
export type { AnchoredOptions, AnchoredView } from "./messages/windows/anchored.js";
export type { MessageWindow } from "./messages/windows/around.js";
export { isHandoff } from "./messages/windows/is-handoff.js";
export type { LatestMessageOptions } from "./messages/windows/latest-message.js";
export type { UserTurn, UserTurnOptions } from "./messages/windows/recent-user-turns.js";
export type { ConversationOptions, Transcript } from "./messages/transcript.js";
export type { TranscriptMessage } from "./messages/transcript-message.js";

export { forkSql, markedSql, markerSql } from "./lineage/fork-sql.js";
export { Lineage } from "./lineage/lineage.js";
export { segmentsBefore } from "./lineage/walk-ancestors.js";
export { walkContinuations } from "./lineage/walk-continuations.js";
export type { MetaEntry } from "./meta/meta.js";
export { Meta } from "./meta/meta.js";
export { sanitizeTitle, TITLE_LIMIT } from "./titles/sanitize-title.js";
export type { TitleOrigin, TitleSource } from "./titles/assign-title.js";
export { Titles } from "./titles/titles.js";
export type { TitleOfSession } from "./titles/titles.js";

export { Usage } from "./usage/usage.js";
export type { UsageQueueState } from "./usage/usage.js";
export type {
  AuxiliaryUsage,
  UsageAmounts,
  UsageDelta,
  UsageRoute,
  UsageTerms,
  UsageTotals,
} from "./usage/usage-record.js";
export type { ModelRoute, ModelUsage, TaskUsage } from "./usage/usage-rows.js";

export { Handoff } from "./handoff/handoff.js";
export type { HandoffState } from "./handoff/handoff.js";
export { parseRoutingJson } from "./routing/parse-routing-json.js";
export { readRoutingObjects } from "./routing/read-routing-objects.js";
export type { RoutingObjects } from "./routing/read-routing-objects.js";
export { RoutingTable } from "./routing/routing-table.js";
export type { RouteOutline } from "./routing/route-outlines.js";
export type { RouteTransition, RouteTransitionReceipt } from "./routing/route-transition.js";
export type { RouteChange, RouteChangeOutcome } from "./routing/merge-route-change.js";
export { parseRoutingEntry, sessionOfEntry } from "./routing/routing-rows.js";
export type { RoutingRow } from "./routing/routing-rows.js";
export type { SessionStanding } from "./routing/session-standing.js";
export type { KeyedPeer, PeerAddress, PeerRecord } from "./routing/peer-address.js";
export type { GatewayBackend, GatewayHeartbeat } from "./routing/gateway-records.js";
export { Delegations } from "./delegations/delegations.js";
export type { Delegation, DelegationFields, DelegationFilter } from "./delegations/delegation-rows.js";
export { ensureTopicTables } from "./topics/topic-tables.js";
export { Topics } from "./topics/topics.js";
export type { NewBinding, TopicOptions } from "./topics/topics.js";
export type { TopicBinding, TopicMode } from "./topics/topic-rows.js";

export type { ArchiveReport } from "./retention/archive.js";
export type {
  AutoArchivePolicy,
  AutoArchiveReport,
  MaintenancePolicy,
  MaintenanceReport,
} from "./retention/auto-maintain.js";
export type { RetentionCandidate } from "./retention/candidates.js";
export { deleteInside } from "./retention/delete-sessions.js";
export type { DeleteOptions, DeleteReport } from "./retention/delete-sessions.js";
export type { NeverActiveOptions, NeverActiveReport, RemovedRoute } from "./retention/never-active.js";
export type { OrphanMessages, OrphanReport } from "./retention/orphan-messages.js";
export type { PruneOptions, PruneReport } from "./retention/prune.js";
export { sessionsInUse } from "./retention/sessions-in-use.js";
export { Retention } from "./retention/retention.js";
export type { RetentionFilter } from "./retention/retention-filter.js";
export type { MaintenanceError, MaintenanceOutcome, MaintenanceSkip } from "./retention/run-maintenance.js";
export type { Spared } from "./retention/selection.js";
export type { PurgeOptions, PurgeReport } from "./retention/tool-markers.js";
export { removeTranscripts } from "./retention/transcript-files.js";
export type { RemovedFiles } from "./retention/transcript-files.js";
export { readPageCounts } from "./retention/vacuum.js";
export type { PageCounts, VacuumOptions, VacuumReport } from "./retention/vacuum.js";

export { mergeIndexPages, mergeIndexWhole, resolveMergeBounds } from "./writing/merge-indexes.js";
export type { MergeBounds, RunTransaction } from "./writing/merge-indexes.js";

export { openExtendedStateStore, openStateStoreAsync } from "./async/open-state-store-async.js";
export type { AsyncOpenOptions, ExtendedStateStore } from "./async/open-state-store-async.js";
export type { ExtendedCall, StoreExtension } from "./async/worker-protocol.js";
export type { AsyncMethod, AsyncPart, AsyncStateStore } from "./async/async-state-store.js";

export { withAdoption } from "./lineage/with-adoption.js";
export { Compaction } from "./compaction/compaction.js";
export type { CompactionFailure } from "./compaction/compaction.js";
export type { CompactionCounter, CompactionHealth } from "./compaction/compaction-health.js";
export type { ArchiveOptions, RotateOptions, RotationChild } from "./compaction/compaction-options.js";
export type { ArchiveReceipt } from "./compaction/archive-in-place.js";
export type { RotateReceipt } from "./compaction/rotate-session.js";
export { Leases } from "./leases/leases.js";
export type { LeaseOptions } from "./leases/leases.js";
export type { Lease, LeaseKind, LeaseRow } from "./leases/lease.js";
export type { TurnOptions, TurnWait } from "./leases/turn-options.js";
export { withTurnLease } from "./leases/with-turn-lease.js";
export type { Turn } from "./leases/with-turn-lease.js";

export { throwIfAborted } from "./progress/progress.js";
export type { Progress, ProgressOptions } from "./progress/progress.js";

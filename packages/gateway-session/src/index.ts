export type { ModelOverride, PendingProperties, RouteStep, RoutingEntry } from "./entry/routing-entry.js";
export type { GatewayRecordsPort } from "./port/gateway-records-port.js";
export type { KeyedSession, SessionStanding, SessionStoragePort, StoredRoute } from "./port/session-storage-port.js";
export type { MessageSource, SharingPolicy } from "./source/message-source.js";

export { backgroundActive } from "./policy/background-active.js";
export type { BackgroundProbe } from "./policy/background-active.js";
export { checkResetPolicy } from "./policy/check-reset-policy.js";
export { dailyBoundary } from "./policy/daily-boundary.js";
export { finalizeExpiry, isFinalizable } from "./policy/expiry.js";
export type { ExpiryFinalization, ExpiryQuestion } from "./policy/expiry.js";
export { nextReset } from "./policy/next-reset.js";
export type { NextReset } from "./policy/next-reset.js";
export { checkResetPolicies, notifiesReset, resolvePolicy } from "./policy/reset-policies.js";
export type { PolicySource, ResetPolicies, ResetPolicySettings } from "./policy/reset-policies.js";
export { DEFAULT_RESET_POLICY } from "./policy/reset-policy.js";
export type { ResetMode, ResetPolicy } from "./policy/reset-policy.js";
export { resetReason } from "./policy/reset-reason.js";
export type { ResetQuestion, ResetReason, ResetState } from "./policy/reset-reason.js";
export { resumableEntry, suspendedEntry } from "./policy/mark-entry.js";
export { simulateReset } from "./policy/simulate-reset.js";
export type { SimulationOptions } from "./policy/simulate-reset.js";
export type { SimulatedEvent } from "./policy/simulated-event.js";
export type { SimulatedOutcome, SimulatedStep } from "./policy/simulated-route.js";
export { checkTimeZone, systemZone } from "./policy/wall-clock.js";
export type { ApprovalTicket, Approvals, GrantReach } from "./runtime/approvals.js";
export { listGateways, startHeartbeat } from "./runtime/heartbeat.js";
export type { Heartbeat, HeartbeatOptions, SeenGateway } from "./runtime/heartbeat.js";
export {
  DEFAULT_SCOPES,
  newConversationState,
  newPersistentState,
  newTurnState,
  UNSET,
} from "./runtime/runtime-scopes.js";
export type { ConversationState, PersistentState, RuntimeScopes, TurnState } from "./runtime/runtime-scopes.js";
export { createRuntimeStates } from "./runtime/runtime-states.js";
export type { RuntimeOptions, RuntimeStates } from "./runtime/runtime-states.js";
export type { SessionRuntime } from "./runtime/session-runtime.js";
export type { ReleaseLease, Turn } from "./runtime/turn.js";
export { buildSessionKey } from "./key/build-session-key.js";
export { canonicalSessionKey } from "./key/canonical-session-key.js";
export { checkSessionId, checkSessionKey } from "./key/check-session-key.js";
export type { NameObjection } from "./key/check-session-key.js";
export { formatSessionKey } from "./key/format-session-key.js";
export { isSharedConversation } from "./key/is-shared-conversation.js";
export type { KeyPolicy } from "./key/key-policy.js";
export { legacyKeys } from "./key/legacy-keys.js";
export { parseSessionKey } from "./key/parse-session-key.js";
export { provesSamePeer } from "./key/proves-same-peer.js";
export type { SessionKeyParts } from "./key/session-key-parts.js";
export { cleanModelOverride } from "./entry/clean-model-override.js";
export { decodeEntry } from "./entry/decode-entry.js";
export type { DecodedEntry } from "./entry/decode-entry.js";
export { encodeEntry } from "./entry/encode-entry.js";
export { HISTORY_LIMIT, isReservedMetadataKey } from "./entry/entry-metadata.js";
export type { EntryOptions } from "./entry/entry-options.js";
export { newEntry } from "./entry/new-entry.js";
export type { NewEntry } from "./entry/new-entry.js";
export { decodeSource } from "./source/decode-source.js";
export { encodeSource } from "./source/encode-source.js";
export { readRoutingFile } from "./entry/read-routing-file.js";
export type { RoutingFile } from "./entry/read-routing-file.js";
export { sqliteStorage } from "./sqlite/sqlite-storage.js";

export { createSessionRouter } from "./router/create-session-router.js";
export type { RestartReport, SessionRouter } from "./router/session-router.js";
export type { GatewayWarning, RouterOptions } from "./router/router-options.js";
export type { Resolution, ResolutionKind } from "./router/resolution.js";
export type { ResolveOptions } from "./router/resolver.js";
export type { RouteListOptions } from "./router/route-reads.js";
export type { SwitchOptions } from "./router/route-moves.js";
export type { RouteUsage } from "./router/check-usage.js";
export type { RouteExplanation } from "./explain/explain-route.js";

export { openTranscriptWriter } from "./transcript/open-transcript-writer.js";
export { spoolFolderOf } from "./transcript/spool-names.js";
export type {
  TranscriptAppendOptions,
  TranscriptBacklog,
  TranscriptCounters,
  TranscriptRoutes,
  TranscriptTarget,
  TranscriptWarning,
  TranscriptWriterOptions,
} from "./transcript/transcript-options.js";
export type {
  LoadedTranscript,
  QueuedMessage,
  SkippedMessage,
  SpooledMessage,
  StoredMessage,
  TranscriptReceipt,
} from "./transcript/transcript-receipt.js";
export type { TranscriptWriter } from "./transcript/transcript-writer.js";
export { writeRoutingFile } from "./entry/write-routing-file.js";
export type { RoutingFileOptions } from "./entry/write-routing-file.js";

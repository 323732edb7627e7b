/** One method of the one-object store with arguments that it takes. */
export interface FacadeCall {
  readonly method: string;
  readonly required: readonly unknown[];
  /** Parameters that may be left out, in the old order, each with a value. */
  readonly positional: Readonly<Record<string, unknown>>;
  /** Names that only the last object takes. */
  readonly options: Readonly<Record<string, unknown>>;
}

function call(
  method: string,
  required: readonly unknown[],
  positional: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>> = {},
): FacadeCall {
  return { method, required, positional, options };
}

const MESSAGE = { role: "user", content: "said" };
const FOLDER = { sessionsDir: "/nowhere" };

/** What an appended message may have, in the old order. */
const FIELDS = {
  role: "assistant",
  content: "an answer",
  toolName: null,
  toolCalls: [{ id: "c1", function: { name: "look" } }],
  toolCallId: null,
  tokenCount: 3,
  finishReason: "stop",
  reasoning: "because",
  reasoningContent: "more",
  reasoningDetails: [{ a: 1 }],
  codexReasoningItems: [{ b: 1 }],
  codexMessageItems: [{ c: 1 }],
  platformMessageId: "pm-9",
  observed: true,
  effectDisposition: null,
  timestamp: 1_700_000_300,
  apiContent: "sent",
  displayKind: "note",
  displayMetadata: { d: 1 },
  compressionLockHolder: "h",
};

const COUNTS = {
  inputTokens: 1,
  outputTokens: 2,
  model: "m2",
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  reasoningTokens: 5,
  estimatedCostUsd: 0.5,
  actualCostUsd: 0.25,
  costStatus: "known",
  costSource: "table",
  pricingVersion: "v1",
  billingProvider: "p",
  billingBaseUrl: "https://p.example",
  billingMode: "api",
  apiCallCount: 2,
  absolute: true,
};

const LIST = {
  source: "cli",
  sources: ["cli"],
  excludeSources: ["tool"],
  cwdPrefix: "/w",
  limit: 1,
  offset: 1,
  includeChildren: true,
  minMessageCount: 1,
  projectCompressionTips: false,
  orderByLastActive: true,
  includeArchived: true,
  archivedOnly: false,
  idQuery: "s",
  searchQuery: "s",
  compactRows: true,
  includePinned: true,
  sessionKey: "k",
};

/** Methods with parameters that may be given by place or by name. */
export const BY_PLACE_OR_NAME: readonly FacadeCall[] = [
  call("ensureSession", ["new"], { source: "cli", model: "m" }),
  call("promoteToSessionReset", ["s"], { reason: "idle" }),
  call("updateSessionCwd", ["s", "/x"], { gitBranch: "main", gitRepoRoot: "/x", replaceGitMeta: true }),
  call("recordCompressionFailureCooldown", ["s", 4e9], { error: "x" }),
  call("tryAcquireCompressionLock", ["s", "h"], { ttlSeconds: 60 }),
  call("refreshCompressionLock", ["s", "h"], { ttlSeconds: 60 }),
  call("touchSessionActivity", ["s"], { ts: 1_700_000_500 }, { description: "busy", provenance: "agent.compression" }),
  call("updateSessionMeta", ["s", '{"a": 1}'], { model: "m2" }),
  call("flushTokenCounts", [], { timeout: 1 }),
  call("updateTokenCounts", ["s"], COUNTS),
  call("setExpiryFinalized", ["s"], { finalized: false }),
  call("listSessionsRich", [], LIST),
  call("appendMessage", ["s"], FIELDS),
  call("appendMessagesBatch", ["s", [MESSAGE, MESSAGE]], { compressionLockHolder: "h", chunkRows: 1 }),
  call("replaceMessages", ["s", [MESSAGE]], { activeOnly: true, archiveDropped: true }),
  call("getMessages", ["s"], { includeInactive: true, limit: 1, offset: 1, latest: true, afterId: null }),
  call("getMessagesAround", ["s", 2], { window: 1 }),
  call("getMessagesAsConversation", ["s"], {
    includeAncestors: true,
    includeInactive: true,
    repairAlternation: true,
    includeRowIds: true,
  }),
  call("assertResumeSafe", ["s"], { maxMessages: 10 }),
  call("assertExportSafe", ["s"], { maxMessages: 10 }),
  call("searchSessions", [], { source: "cli", limit: 1, offset: 0, workspaceKey: "/w" }, { includeArchived: false }),
  call("sessionCount", [], {
    source: "cli",
    sources: ["cli"],
    cwdPrefix: "/w",
    minMessageCount: 1,
    includeArchived: true,
    archivedOnly: false,
    excludeChildren: true,
    excludeSources: ["tool"],
  }),
  call("messageCount", [], { sessionId: "s" }),
  call("deleteSession", ["s"], { ...FOLDER, expectedDeleteIds: ["other"], includeCompressionLineage: true }),
  call("deleteSessionIfEmpty", ["e"], FOLDER),
  call("deleteSessions", [["s", "none"]], { ...FOLDER, includeCompressionLineage: true }),
  call("deleteEmptySessions", [], FOLDER),
  call("pruneEmptyGhostSessions", [], FOLDER),
  call("listPruneCandidates", [], { olderThanDays: 1, source: "cli" }, { titleLike: "x", archived: null }),
  call("archiveSessions", [], { olderThanDays: 1, source: "cli" }, { minMessages: 1 }),
  call("pruneSessions", [], { olderThanDays: 1, source: "cli", ...FOLDER }, { includePinned: true }),
  call("archiveStaleSessions", [], { idleDays: 1 }, { excludePinned: false }),
  call("maybeAutoPruneAndVacuum", [], {
    retentionDays: 1,
    minIntervalHours: 1,
    vacuum: false,
    ...FOLDER,
    minVacuumIntervalDays: 1,
  }),
  call("maybeAutoArchive", [], { idleDays: 1, minIntervalHours: 1, excludePinned: false }),
  call("getAnchoredView", ["s", 2], { window: 1, bookend: 1, keepRoles: ["user"] }),
  call("listRecentUserMessages", ["s"], { limit: 1, includeInactive: true }),
  call("searchMessages", ["harbour"], {
    sourceFilter: ["cli"],
    excludeSources: ["tool"],
    roleFilter: ["user"],
    limit: 1,
    offset: 0,
    sort: "newest",
    includeInactive: true,
    fields: ["id", "snippet"],
  }),
  call("searchSessionsById", ["s"], {
    limit: 1,
    includeArchived: false,
    source: "cli",
    sources: ["cli"],
    excludeSources: ["tool"],
  }),
  call("distinctSessionCwds", [], { includeArchived: true }),
  call("listCronJobRuns", ["job"], { limit: 1, offset: 1 }),
  call("getSessionRichRow", ["s"], { compactRows: true }),
  call("listSkillScaffoldedSessions", [], { limit: 1 }),
  call("exportAll", [], { source: "cli" }),
];

/** Methods with an object of options and nothing else that may be left out. */
export const BY_NAME: readonly FacadeCall[] = [
  call("createSession", ["new", "cli"], {}, { model: "m", cwd: "/w" }),
  call("recordGatewaySessionPeer", ["s"], {}, { source: "cli", sessionKey: "k", includeCompressionAncestors: true }),
  call("saveGatewayRoutingEntry", ["k", "{}"], {}, { scope: "a" }),
  call("replaceGatewayRoutingEntries", [{ k: "{}" }], {}, { scope: "a" }),
  call("loadGatewayRoutingEntries", [], {}, { scope: "a" }),
  call("deleteGatewayRoutingEntries", [["k"]], {}, { scope: "a" }),
  call("listGatewaySessions", [], {}, { platform: "cli", activeOnly: true }),
  call("findSessionByOrigin", [], {}, { platform: "cli", chatId: "c", threadId: null, userId: "u" }),
  call("findLatestGatewaySessionForPeer", [], {}, { source: "cli", sessionKey: "k" }),
  call("publishCompressionChild", [], {}, { parentSessionId: "s", childSessionId: "c", source: "cli", messages: [] }),
  call("updateSessionRuntimeLock", ["s"], {}, { model: "m", provider: "p", modelOptions: {}, confirmed: true }),
  call("updateSessionBillingRoute", ["s"], {}, { provider: "p", baseUrl: "u", billingMode: "api" }),
  call("queueTokenCounts", ["s"], {}, { inputTokens: 1, task: "t", absolute: false }),
  call("recordAuxiliaryUsage", ["s", "t"], {}, { model: "m", inputTokens: 1, estimatedCostUsd: 0.5 }),
  call("setAutoTitle", ["s", "A title"], {}, { source: "derived" }),
  call("setLatestMatchingMessageDisplayKind", ["s"], {}, { role: "user", content: "x", displayKind: "note" }),
  call("setMessageReaction", ["s", 1, "+1"], {}, { author: "agent" }),
  call("takeUnseenReactions", ["s"], {}, { author: "agent" }),
  call("latestMessageRowId", ["s"], {}, { role: "user", offset: 1, requireText: true }),
  call("sessionCountBySource", [], {}, { includeArchived: true, archivedOnly: false, excludeChildren: true }),
  call("purgeStaleToolCallMarkers", [], {}, { dryRun: true, backup: false }),
  call("setMeta", ["k", "v"], {}, {}),
  call("enableTelegramTopicMode", [], {}, { chatId: "c", userId: "u", hasTopicsEnabled: true }),
  call("disableTelegramTopicMode", [], {}, { chatId: "c", clearBindings: true }),
  call("isTelegramTopicModeEnabled", [], {}, { chatId: "c", userId: "u" }),
  call("getTelegramTopicBinding", [], {}, { chatId: "c", threadId: "7" }),
  call("listTelegramTopicBindingsForChat", [], {}, { chatId: "c" }),
  call("getTelegramTopicBindingBySession", [], {}, { sessionId: "s" }),
  call("deleteTelegramTopicBinding", [], {}, { chatId: "c", threadId: "7" }),
  call("isTelegramSessionLinkedToTopic", [], {}, { sessionId: "s" }),
  call("listUnlinkedTelegramSessionsForUser", [], {}, { chatId: "c", userId: "u", limit: 1 }),
  call("optimizeFtsStorage", [], {}, { vacuum: false }),
];

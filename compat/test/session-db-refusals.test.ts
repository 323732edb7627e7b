import { isStateError } from "@hermes/state-core";
import { beforeEach, describe, expect, it } from "vitest";
import { publicMethods } from "../src/session-db/public-methods.js";
import { SessionDB } from "../src/session-db/index.js";
import { openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const TABLES = ["sessions", "messages", "gateway_routing", "state_meta", "session_model_usage", "compression_locks"];
const SAID = { role: "user", content: "said" };
const VIEW = { messagesBefore: 0, messagesAfter: 0, window: [] };

/** What each method says to a session that nobody made: the peer's answer, or a code. */
const OF_NOBODY: readonly (readonly [method: string, args: readonly unknown[], answer: unknown])[] = [
  ["recordGatewaySessionPeer", [{ source: "cli", sessionKey: "k" }], false],
  ["setExpiryFinalized", [true], false],
  ["findLiveCompressionChild", [], null],
  ["reopenOrphanedCompressionSession", [], false],
  ["endSession", ["done"], undefined],
  ["reopenSession", [], undefined],
  ["promoteToSessionReset", [], false],
  ["updateSessionCwd", ["/w"], null],
  ["recordCompressionFailureCooldown", [4e9, "x"], undefined],
  ["getCompressionFailureCooldown", [], null],
  ["getCompressionFailureCooldownRow", [], null],
  ["restoreCompressionFailureCooldownRow", [{ cooldownUntil: 1, error: "x" }], "STATE_E_SESSION_NOT_FOUND"],
  ["clearCompressionFailureCooldown", [], false],
  ["getCompressionFallbackStreak", [], 0],
  ["setCompressionFallbackStreak", [1], undefined],
  ["getCompressionIneffectiveCount", [], 0],
  ["setCompressionIneffectiveCount", [1], undefined],
  ["refreshCompressionLock", ["h"], false],
  ["releaseCompressionLock", ["h"], false],
  ["getCompressionLockHolder", [], null],
  ["touchSessionActivity", [], false],
  ["clearSessionActivityLabels", [], false],
  ["getSessionActivity", [], null],
  ["updateSessionMeta", ["{}", "m"], undefined],
  ["updateSystemPrompt", ["p"], undefined],
  ["updateSessionModel", ["m"], undefined],
  ["patchSessionModelConfig", [{ a: 1 }], undefined],
  ["getSessionModelConfigValue", ["a", 7], 7],
  ["updateSessionRuntimeLock", [{ model: "m" }], false],
  ["setSessionYolo", [true], false],
  ["updateSessionBillingRoute", [{ provider: "p" }], undefined],
  ["recordAuxiliaryUsage", ["t"], false],
  ["getSession", [], null],
  ["resolveSessionId", [], null],
  ["setSessionTitle", ["t"], false],
  ["setAutoTitle", ["t"], false],
  ["setAutoTitleIfEmpty", ["t"], false],
  ["getSessionTitle", [], null],
  ["getSessionTitleSource", [], null],
  ["setSessionTitleSource", ["user"], false],
  ["setSessionArchived", [true], false],
  ["setSessionPinned", [true], false],
  ["setSessionRead", [true], false],
  ["getSessionByTitle", [], null],
  ["resolveSessionByTitle", [], null],
  ["getCompressionTip", [], "nobody"],
  ["appendMessage", ["user", "x"], "STATE_E_SESSION_NOT_FOUND"],
  ["appendMessagesBatch", [[SAID]], "STATE_E_SESSION_NOT_FOUND"],
  ["appendMessagesBatch", [[]], 0],
  ["setLatestMatchingMessageDisplayKind", [{ ...SAID, displayKind: "note" }], false],
  ["setMessageReaction", [1, "+1"], null],
  ["getMessageReactions", [1], []],
  ["takeUnseenReactions", [], []],
  ["latestMessageRowId", [], null],
  ["latestUserMessageRowId", [], null],
  ["getMessageRole", [1], null],
  ["replaceMessages", [[SAID]], "STATE_E_SESSION_NOT_FOUND"],
  ["hasArchivedMessages", [], false],
  ["archiveAndCompact", [[SAID]], "STATE_E_SESSION_NOT_FOUND"],
  ["setLatestUserApiContent", ["said", "sent"], false],
  ["getMessages", [], []],
  ["getMessagesAround", [1], VIEW],
  ["getAnchoredView", [1], { ...VIEW, bookendStart: [], bookendEnd: [] }],
  ["resolveResumeSessionId", [], "nobody"],
  ["getMessagesAsConversation", [], []],
  ["getResumeConversations", [], [[], []]],
  ["getResumeMessageCount", [], 0],
  ["assertResumeSafe", [], 0],
  ["assertExportSafe", [], 0],
  ["getAncestorDisplayPrefix", [], []],
  ["getConversationRoot", [], "nobody"],
  ["rewindToMessage", [1], "STATE_E_SESSION_NOT_FOUND"],
  ["restoreRewound", [1], 0],
  ["messageCount", [], 0],
  ["hasPlatformMessageId", ["pm"], false],
  ["getCompressionLineage", [], ["nobody"]],
  ["clearMessages", [], undefined],
  ["getSessionDeleteTargets", [], []],
  ["deleteSession", [], false],
  ["deleteSessionIfEmpty", [], false],
  ["requestHandoff", ["cli"], false],
  ["getHandoffState", [], null],
  ["claimHandoff", [], false],
  ["completeHandoff", [], false],
  ["failHandoff", ["x"], false],
  ["listRecentUserMessages", [], []],
  ["getSessionRichRow", [], null],
  ["getFirstAssistantText", [], ""],
  ["exportSession", [], null],
  ["exportSessionLineage", [], null],
];

/** Arguments of a wrong type, and what is missing; each is refused with a word about it. */
const WRONG: readonly (readonly [method: string, ...args: readonly unknown[]])[] = [
  ["createSession", undefined, "cli"],
  ["createSession", "new"],
  ["ensureSession", undefined],
  ["ensureSession", ""],
  ["setSessionTitle", "s"],
  ["setSessionTitle", "s", 7],
  ["setSessionRead", "s", "no"],
  ["setSessionArchived", "s", 1],
  ["setSessionYolo", "s", "yes"],
  ["setExpiryFinalized", "s", 1],
  ["updateSessionMeta", "s", "{"],
  ["updateSessionMeta", "s", "[]"],
  ["updateSessionCwd", "s", "/w", { replaceGitMeta: "yes" }],
  ["backfillRepoRoots", null],
  ["deleteGatewayRoutingEntries", null],
  ["deleteGatewayRoutingEntries", 7],
  ["replaceGatewayRoutingEntries", null],
  ["findSessionByOrigin"],
  ["findLatestGatewaySessionForPeer"],
  ["publishCompressionChild"],
  ["restoreCompressionFailureCooldownRow", "s", null],
  ["restoreCompressionFailureCooldownRow", "s", {}],
  ["setLatestMatchingMessageDisplayKind", "s"],
  ["resolveSessionByTitle", null],
  ["getSessionByTitle", 7],
  ["flushTokenCounts", "soon"],
  ["deleteEmptySessions", 7],
  ["deleteSessionIfEmpty", "s", 7],
  ["deleteSession", "s", 7],
  ["deleteSessions", ["s"], 7],
  ["pruneSessions", 1, null, 7],
  ["pruneEmptyGhostSessions", 7],
  ["archiveStaleSessions", "old"],
  ["archiveStaleSessions", 1, { excludePinned: "no" }],
  ["distinctSessionCwds", "yes"],
  ["getSessionRichRow", "s", "yes"],
  ["listRecentUserMessages", "s", 1, "yes"],
  ["enableTelegramTopicMode"],
  ["disableTelegramTopicMode"],
  ["isTelegramTopicModeEnabled"],
  ["getTelegramTopicBinding"],
  ["listTelegramTopicBindingsForChat"],
  ["getTelegramTopicBindingBySession"],
  ["deleteTelegramTopicBinding"],
  ["bindTelegramTopic"],
  ["isTelegramSessionLinkedToTopic"],
  ["listUnlinkedTelegramSessionsForUser"],
];

/** What a closed store still answers: what asks no store, and what the peer never let fail. */
const CLOSED: Readonly<Record<string, unknown>> = {
  close: undefined,
  sanitizeTitle: "nobody",
  sessionUnread: false,
  sessionYoloEnabled: false,
  ftsCjkRebuildStep: false,
  flushTokenCounts: true,
  promoteToSessionReset: false,
  tryAcquireCompressionLock: false,
};

let test: TestDb;
let methods: Methods;
const dump = (): string =>
  JSON.stringify(test.db.store.read((r) => TABLES.map((name) => r.all(`SELECT * FROM ${name}`))));

function answer(method: string, args: readonly unknown[]): unknown {
  try {
    return methods[method]!(...args);
  } catch (error) {
    if (isStateError(error)) return error.code;
    throw error;
  }
}

beforeEach(() => {
  test = openSessionDb();
  methods = test.db as unknown as Methods;
  return () => test[Symbol.dispose]();
});

describe("what the one-object store refuses", () => {
  it("CPT-01 nobody's session has the peer's answer, and nothing is made", () => {
    const before = dump();
    for (const [method, args, expected] of OF_NOBODY) {
      expect([method, answer(method, ["nobody", ...args])]).toEqual([method, expected]);
    }
    expect(dump()).toBe(before);
    const asked = new Set(OF_NOBODY.map(([method]) => method));
    expect([...asked].filter((method) => !publicMethods(SessionDB).includes(method))).toEqual([]);
  });

  it("CPT-01 a wrong or a missing argument is a TypeError with a word about it, and nothing is done", () => {
    test.db.createSession("s", "cli", { title: "Kept" });
    test.db.endSession("s", "cli_close");
    const before = dump();
    for (const [method, ...args] of WRONG) {
      const what = `${method}(${JSON.stringify(args)})`;
      expect(() => answer(method, args), what).toThrow(TypeError);
      // The runtime's own words name no parameter.
      expect(() => answer(method, args), what).not.toThrow(/Cannot (?:read|convert|destructure|use)|is not a function/);
    }
    expect(answer("touchSessionActivity", ["s", "now"])).toBe("STATE_E_BAD_TIMESTAMP");
    expect(answer("touchSessionActivity", ["s", { ts: "now" }])).toBe("STATE_E_BAD_TIMESTAMP");
    expect(dump()).toBe(before);
  });

  it("CPT-01 a value of the model config is one of its own keys", () => {
    test.db.createSession("s", "cli", { modelConfig: { a: 0 } });
    const value = (key: string): unknown => test.db.getSessionModelConfigValue("s", key, "none");
    expect([value("a"), value("constructor"), value("__proto__")]).toEqual([0, "none", "none"]);
    expect(test.db.getSessionModelConfigValue("s", "b", { default: 1 })).toBe(1);
    expect(test.db.getSessionModelConfigValue("s", "b", { other: 1 })).toEqual({ other: 1 });
  });

  it("CPT-01 a closed store says so, whatever is asked of it", async () => {
    test.db.close();
    const args: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
      OF_NOBODY.map(([method, given]) => [method, ["nobody", ...given]]),
    );
    const said = new Map<string, unknown>();
    for (const method of publicMethods(SessionDB)) {
      if (method in CLOSED)
        expect([method, answer(method, method === "flushTokenCounts" ? [] : ["nobody", "h"])]).toEqual([
          method,
          CLOSED[method],
        ]);
      else if (method in args) said.set(method, answer(method, args[method]!));
    }
    said.delete("appendMessagesBatch");
    expect(new Set(said.values())).toEqual(new Set(["STATE_E_CLOSED"]));
    expect(test.db.maybeAutoArchive()).toMatchObject({
      archived: 0,
      error: expect.stringContaining("closed") as string,
    });
    const found = test.db.importSessions([{ id: "x", messages: [] }]);
    await expect(found).rejects.toMatchObject({ code: "STATE_E_CLOSED" });
  });
});

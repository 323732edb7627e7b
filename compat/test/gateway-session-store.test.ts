import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { AsyncSessionStore, SessionStore } from "../src/gateway/session-store/index.js";
import type { SessionStoreOptions } from "../src/gateway/session-store/index.js";
import { SessionEntry, SessionSource } from "../src/gateway/session/index.js";

const ANNA = new SessionSource({ platform: "telegram", chatId: "42", userName: "Anna" });
const KEY = "agent:main:telegram:dm:42";

interface TestSessions extends AsyncDisposable {
  readonly sessions: SessionStore;
  readonly clock: TestClock;
  readonly options: SessionStoreOptions;
}

async function openSessions(more: SessionStoreOptions = {}): Promise<TestSessions> {
  const dir = tempDir();
  const clock = testClock(1_800_000_000);
  const path = join(dir.path, "state.db");
  const options = { path, clock, random: testRandom(3), zone: "UTC", touchDelayMs: 0, ...more };
  const sessions = await SessionStore.open(options);
  return {
    sessions,
    clock,
    options,
    async [Symbol.asyncDispose]() {
      await sessions.close();
      dir[Symbol.dispose]();
    },
  };
}

describe("the old session store", () => {
  it("CPT-03 is one class under both of its names", () => {
    expect(AsyncSessionStore).toBe(SessionStore);
  });

  it("CPT-03 finds the session of a peer again, also after a restart, and makes its row", async () => {
    await using at = await openSessions();
    const entry = await at.sessions.getOrCreateSession(ANNA);
    expect(entry).toBeInstanceOf(SessionEntry);
    expect(entry).toMatchObject({ sessionKey: KEY, displayName: "Anna" });
    expect(await at.sessions.peekSessionId(KEY)).toBe(entry.sessionId);
    expect(await at.sessions.lookupBySessionId(entry.sessionId)).toEqual(entry);
    expect(await at.sessions.lookupBySessionId("none")).toBeNull();
    await at.sessions.close();
    await at.sessions.close();
    using store = openStateStore({ path: at.options.path! });
    expect(store.sessions.get(entry.sessionId).endReason).toBeNull();
    await using again = await SessionStore.open(at.options);
    expect((await again.getOrCreateSession(ANNA)).sessionId).toBe(entry.sessionId);
    expect((await again.getOrCreateSession(ANNA, true)).sessionId).not.toBe(entry.sessionId);
    expect(await again.hasAnySessions()).toBe(true);
    await expect(again.getOrCreateSession(ANNA, { forceNw: true } as never)).rejects.toThrow(TypeError);
  });

  it("CPT-03 resets, switches and follows compactions", async () => {
    await using at = await openSessions();
    const first = await at.sessions.getOrCreateSession(ANNA);
    await at.sessions.appendToTranscript(first.sessionId, { role: "user", content: "hello" });
    const reset = await at.sessions.resetSession(KEY, "Anna at home");
    expect(reset).toMatchObject({ displayName: "Anna at home", isFreshReset: true });
    expect(reset?.sessionId).not.toBe(first.sessionId);
    expect(await at.sessions.resetSession("agent:main:x:dm:1")).toBeNull();
    expect((await at.sessions.switchSession(KEY, first.sessionId))?.sessionId).toBe(first.sessionId);
    await expect(at.sessions.switchSession(KEY, "none")).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
    expect(await at.sessions.advanceCompressionSession(KEY, reset!.sessionId, "s9")).toBeNull();
    const advanced = await at.sessions.advanceCompressionSession(KEY, first.sessionId, reset!.sessionId);
    expect(advanced?.sessionId).toBe(reset?.sessionId);
  });

  it("CPT-03 keeps metadata and the chosen model, without credentials", async () => {
    await using at = await openSessions();
    await at.sessions.getOrCreateSession(ANNA);
    expect(await at.sessions.setSessionMetadata(KEY, "mood", { plain: true })).toBe(true);
    expect(await at.sessions.getSessionMetadata(KEY, "mood")).toEqual({ plain: true });
    expect(await at.sessions.getSessionMetadata(KEY, "toString", "none")).toBe("none");
    expect(await at.sessions.setSessionMetadata("agent:main:x:dm:1", "mood", 1)).toBe(false);
    await at.sessions.setModelOverride(KEY, { model: "m", apiKey: "sk-1" } as never);
    expect(await at.sessions.getModelOverride(KEY)).toEqual({ model: "m" });
    await at.sessions.setModelOverride(KEY, null);
    expect(await at.sessions.getModelOverride(KEY)).toBeNull();
  });

  it("CPT-03 marks turns, and takes interrupted ones up again", async () => {
    await using at = await openSessions();
    await at.sessions.getOrCreateSession(ANNA);
    const token = await at.sessions.markTurnActive(KEY);
    expect(await at.sessions.markTurnActive("agent:main:x:dm:1")).toBeNull();
    expect(await at.sessions.clearTurnActive(KEY, "another")).toBe(false);
    expect(await at.sessions.clearTurnActive(KEY, token!)).toBe(true);
    await at.sessions.markTurnActive(KEY);
    expect(await at.sessions.recoverInterruptedTurns(60)).toBe(1);
    expect(await at.sessions.clearResumePending(KEY)).toBe(true);
    expect(await at.sessions.clearResumePending(KEY)).toBe(false);
    await at.sessions.markTurnActive(KEY);
    expect(await at.sessions.discardActiveTurnMarkers()).toBe(1);
    expect(await at.sessions.suspendRecentlyActive()).toBe(1);
    expect(await at.sessions.suspendSession(KEY)).toBe(true);
    expect(await at.sessions.markResumePending(KEY, "again")).toBe(true);
  });

  it("CPT-03 lists by activity and prunes what rests", async () => {
    await using at = await openSessions();
    await at.sessions.getOrCreateSession(ANNA);
    at.clock.advance(3 * 86_400_000);
    const ben = await at.sessions.getOrCreateSession({ platform: "telegram", chatId: "43" });
    expect((await at.sessions.listSessions()).map(({ sessionId }) => sessionId)[0]).toBe(ben.sessionId);
    expect(await at.sessions.listSessions(60)).toHaveLength(1);
    expect(await at.sessions.pruneOldEntries(0)).toBe(0);
    expect(await at.sessions.pruneOldEntries(2)).toBe(1);
    expect(await at.sessions.updateSession(ben.sessionKey, 500)).toBe(true);
    expect(await at.sessions.lookupBySessionId(ben.sessionId)).toMatchObject({ lastPromptTokens: 500 });
    expect(await at.sessions.updateSession(KEY, 1)).toBe(false);
  });

  it("CPT-03 ends for good what has expired, and tells what may", async () => {
    const byPlatform = { slack: { mode: "none" as const } };
    await using at = await openSessions({ resetPolicies: { default: { mode: "idle" }, byPlatform } });
    const entry = await at.sessions.getOrCreateSession(ANNA);
    const slack = await at.sessions.getOrCreateSession({ platform: "slack", chatId: "D1" });
    expect(await at.sessions.isSessionFinalizable(entry)).toBe(true);
    expect(await at.sessions.isSessionFinalizable(slack)).toBe(false);
    await at.sessions.setModelOverride(KEY, { model: "m" });
    expect(await at.sessions.setExpiryFinalized(entry)).toBe(true);
    expect(await at.sessions.getModelOverride(KEY)).toEqual({ model: "m" });
    const next = await at.sessions.getOrCreateSession(ANNA);
    expect(next.sessionId).not.toBe(entry.sessionId);
    expect(await at.sessions.setExpiryFinalized(entry)).toBe(false);
    await at.sessions.setModelOverride(KEY, { model: "m" });
    expect(await at.sessions.setExpiryFinalized(next, { clearModelOverride: true })).toBe(true);
    expect(await at.sessions.getModelOverride(KEY)).toBeNull();
  });
});

describe("the transcripts of the old session store", () => {
  it("CPT-03 are appended, read, rewritten and taken back", async () => {
    await using at = await openSessions();
    const { sessionId } = await at.sessions.getOrCreateSession(ANNA);
    const hello = { role: "user", content: "hello", message_id: "p1" };
    expect(await at.sessions.appendToTranscript(sessionId, hello)).toMatchObject({ state: "stored", existing: false });
    expect(await at.sessions.appendToTranscript(sessionId, hello)).toMatchObject({ state: "stored", existing: true });
    expect(await at.sessions.appendToTranscript(sessionId, hello, true)).toMatchObject({ state: "skipped" });
    expect(await at.sessions.hasPlatformMessageId(sessionId, "p1")).toBe(true);
    expect(await at.sessions.hasPlatformMessageId(sessionId, "p2")).toBe(false);
    await at.sessions.appendToTranscript(sessionId, { role: "assistant", content: "hi" });
    const loaded = await at.sessions.loadTranscript(sessionId);
    expect(loaded.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hello"],
      ["assistant", "hi"],
    ]);
    expect(await at.sessions.rewriteTranscript(sessionId, [{ role: "user", content: "anew" }])).toBe(true);
    expect(await at.sessions.rewriteTranscript("none", [{ role: "user", content: "anew" }])).toBe(false);
    await expect(at.sessions.rewriteTranscript(sessionId, "anew" as never)).rejects.toThrow(TypeError);
    expect(await at.sessions.rewindSession(sessionId)).toMatchObject({ rewoundCount: 1 });
    expect(await at.sessions.rewindSession(sessionId)).toBeNull();
    expect(await at.sessions.loadTranscript(sessionId)).toEqual([]);
  });
});

import { isStateError } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import type { MessageSource } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";

const ANNA: MessageSource = { platform: "telegram", chatId: "c1", chatType: "dm", userId: "u1", userName: "Anna" };
const KEY = "agent:main:telegram:dm:c1";
const DAY = 86_400_000;
const room = (userId: string, more: Partial<MessageSource> = {}): MessageSource => ({
  platform: "telegram",
  chatId: "room",
  chatType: "group",
  userId,
  ...more,
});

describe("a router", () => {
  it("GWS-02 gives a peer one session, and finds it again after a restart", async () => {
    await using gateway = await openGateway();
    const first = await gateway.router.resolve(ANNA);
    expect(first).toMatchObject({ sessionKey: KEY, how: "created", durable: true, why: null });
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: first.sessionId, how: "known" });
    await gateway.restart();
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: first.sessionId, how: "known" });
    expect(gateway.router.bySession(first.sessionId)?.sessionKey).toBe(KEY);
    expect(gateway.router.list().map((entry) => entry.sessionKey)).toEqual([KEY]);
    expect(gateway.warnings).toEqual([]);
  });

  it("GWS-02 gives all who ask at once the same answer, also when all begin anew", async () => {
    await using gateway = await openGateway();
    const ids = async (forceNew: boolean): Promise<string[]> => {
      const all = await Promise.all(Array.from({ length: 20 }, () => gateway.router.resolve(ANNA, { forceNew })));
      return [...new Set(all.map(({ sessionId }) => sessionId))];
    };
    const first = await ids(false);
    const second = await ids(true);
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(second).not.toEqual(first);
    expect(gateway.router.list()).toHaveLength(1);
  });

  it("GWS-02 keeps scopes apart", async () => {
    await using gateway = await openGateway();
    const here = await gateway.say(ANNA);
    await gateway.restart({ scope: "/elsewhere" });
    expect(gateway.router.list()).toEqual([]);
    await gateway.restart();
    expect(gateway.router.get(KEY)?.sessionId).toBe(here);
  });

  it("GWS-02 leaves out what is no entry, with a warning, and loads the others", async () => {
    await using gateway = await openGateway();
    const { sessionId } = await gateway.router.resolve(ANNA);
    const { routing } = gateway.store;
    routing.save("/srv/sessions", "agent:main:telegram:dm:c2", { session_id: "../../etc/passwd" });
    routing.save("/srv/sessions", "agent:main:telegram:dm:..", { session_id: "s2" });
    routing.save("/srv/sessions", "agent:main:telegram:dm:c3", { nothing: true });
    await gateway.restart();
    expect(gateway.router.list().map((entry) => entry.sessionId)).toEqual([sessionId]);
    expect(gateway.warnings.map(({ kind, sessionKey }) => [kind, sessionKey?.split(":").at(-1)]).sort()).toEqual([
      ["bad-entry", ".."],
      ["bad-entry", "c2"],
      ["bad-entry", "c3"],
    ]);
  });

  it("GWS-02 refuses ids that no key can be made of, and options that it does not have", async () => {
    await using gateway = await openGateway();
    const unsafe = gateway.router.resolve({ ...ANNA, chatId: "../../etc" });
    await expect(unsafe).rejects.toSatisfy((error) => isStateError(error, "STATE_E_BAD_SESSION_KEY"));
    // @ts-expect-error a misspelt option
    await expect(gateway.router.resolve(ANNA, { forcenew: true })).rejects.toThrow(TypeError);
    expect(gateway.router.list()).toEqual([]);
  });

  it("P19 GWS-01 tells rooms apart that differ in case only, and reads the fixed part of a key in any case", async () => {
    await using gateway = await openGateway();
    const matrix = (chatId: string): MessageSource => ({ platform: "matrix", chatType: "channel", chatId });
    const [big, small] = [await gateway.say(matrix("!AbC:srv")), await gateway.say(matrix("!abc:srv"))];
    expect(big).not.toBe(small);
    await gateway.restart();
    expect(await gateway.say({ ...matrix("!AbC:srv"), platform: "Matrix" })).toBe(big);
    const [key] = gateway.router.list().map((entry) => entry.sessionKey);
    expect(gateway.router.get(key!.replace("agent:main:matrix", "AGENT:main:MATRIX"))?.sessionKey).toBe(key);
    expect(gateway.router.list()).toHaveLength(2);
  });

  it("GWS-01 takes over the route of an older spelling once, with its conversation", async () => {
    await using gateway = await openGateway();
    const source: MessageSource = { platform: "matrix", chatType: "channel", chatId: "!room:srv" };
    const sessionId = await gateway.say(source);
    const { sessionKey } = gateway.router.list()[0]!;
    const older = "agent:main:matrix:channel:!room:srv";
    expect(sessionKey).not.toBe(older);
    const { routing } = gateway.store;
    const entry = routing.find("/srv/sessions", sessionKey)!.entry!;
    routing.delete("/srv/sessions", sessionKey);
    routing.save("/srv/sessions", older, { ...entry, session_key: older });
    await gateway.restart({ kill: true });
    expect(await gateway.router.resolve(source)).toMatchObject({ sessionId, how: "upgraded", sessionKey });
    expect(await gateway.router.resolve(source)).toMatchObject({ sessionId, how: "known" });
    expect(gateway.store.routing.load("/srv/sessions").map((row) => row.sessionKey)).toEqual([sessionKey]);
    expect(gateway.store.sessions.get(sessionId).sessionKey).toBe(sessionKey);
  });

  it("GWS-01 does not take over an older spelling that is another peer's", async () => {
    await using gateway = await openGateway();
    // Chat "a" with the thread "b" has the key that the chat "a:b" once had.
    const thread: MessageSource = { platform: "matrix", chatType: "group", chatId: "a", threadId: "b" };
    const theirs = await gateway.say(thread);
    const mine = await gateway.say({ platform: "matrix", chatType: "group", chatId: "a:b" });
    expect(mine).not.toBe(theirs);
    expect(await gateway.say(thread)).toBe(theirs);
  });
});

describe("the rows of sessions", () => {
  it("GWS-11 are made lazily, with what was asked for before", async () => {
    await using gateway = await openGateway();
    const { sessionKey, sessionId } = await gateway.router.resolve(ANNA);
    expect(gateway.store.sessions.find(sessionId)).toBeUndefined();
    await gateway.router.setProperties(sessionKey, { title: "Deploys", hidden: true });
    expect(gateway.store.sessions.find(sessionId)).toBeUndefined();
    await gateway.restart({ kill: true });
    expect(await gateway.router.materialize(sessionKey)).toBe(sessionId);
    const row = gateway.store.sessions.get(sessionId);
    expect(row).toMatchObject({ title: "Deploys", hidden: true, source: "telegram", chatId: "c1", userId: "u1" });
    expect(row).toMatchObject({ sessionKey, displayName: "Anna", chatType: "dm" });
    expect(gateway.router.get(sessionKey)?.pending).toEqual({});
    await gateway.router.setProperties(sessionKey, { title: "Releases" });
    expect(gateway.store.sessions.get(sessionId).title).toBe("Releases");
  });

  it("GWS-11 number a title that is taken meanwhile, and name what they began after", async () => {
    await using gateway = await openGateway();
    const first = await gateway.say(ANNA);
    gateway.store.titles.set(first, "Deploys");
    const { sessionId } = (await gateway.router.reset(KEY))!;
    await gateway.router.setProperties(KEY, { title: "Deploys" });
    await gateway.router.materialize(KEY);
    const row = gateway.store.sessions.get(sessionId);
    expect(row.parentSessionId).toBe(first);
    expect(row.title).not.toBe("Deploys");
    expect(row.title?.startsWith("Deploys")).toBe(true);
    expect(row.modelConfig).toMatchObject({ _reset_from: first });
  });

  it("GWS-11 GWS-03 keep what a late turn says in a session that was left, which stays left", async () => {
    await using gateway = await openGateway();
    const { sessionId: left } = await gateway.router.resolve(ANNA);
    const { sessionId: now } = (await gateway.router.reset(KEY))!;
    expect(await gateway.router.materialize(KEY, left)).toBe(left);
    gateway.store.messages.append(left, { role: "assistant", content: "late" });
    expect(gateway.store.sessions.get(left)).toMatchObject({ endReason: "session_reset" });
    await gateway.restart();
    expect((await gateway.router.resolve(ANNA)).sessionId).toBe(now);
  });
});

describe("a conversation that was left", () => {
  it("P18 GWS-03 on purpose does not come back, however stale the route is", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.store.sessions.end(s1, "session_reset");
    await gateway.restart({ kill: true });
    expect(gateway.store.routing.load("/srv/sessions")).toEqual([]);
    const again = await gateway.router.resolve(ANNA);
    expect(again.sessionId).not.toBe(s1);
    expect(gateway.store.sessions.get(s1).endReason).toBe("session_reset");
  });

  it("P18 GWS-03 by an accident goes on under the same id", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.store.sessions.end(s1, "agent_close");
    await gateway.restart({ kill: true });
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1 });
    expect(gateway.store.sessions.get(s1)).toMatchObject({ endReason: null, endedAtSeconds: null });
  });

  it("P18 GWS-03 is noticed while the route is in memory, too", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.store.sessions.end(s1, "ws_orphan_reap");
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1, how: "reopened" });
    gateway.store.sessions.end(s1, "session_reset");
    const next = await gateway.router.resolve(ANNA);
    expect(next).toMatchObject({ how: "reset", why: "session_reset" });
    expect(next.sessionId).not.toBe(s1);
    expect(next.entry).toMatchObject({ wasAutoReset: false, previousSessionId: s1 });
  });

  it("P18 GWS-03 before a deliberate end stays history, whatever ended it", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.clock.advance(1000);
    await gateway.router.reset(KEY);
    const s2 = await gateway.say(ANNA);
    gateway.store.sessions.end(s2, "new_session");
    gateway.store.sessions.reopen(s1);
    gateway.store.sessions.end(s1, "agent_close", { atSeconds: gateway.clock.now() - 1 });
    gateway.store.routing.delete("/srv/sessions", KEY);
    await gateway.restart({ kill: true });
    const next = await gateway.router.resolve(ANNA);
    expect([s1, s2]).not.toContain(next.sessionId);
  });

  it("GWS-03 is found again without a route, as old as its last message", async () => {
    await using gateway = await openGateway({ resetPolicies: { default: { mode: "idle", idleMinutes: 60 } } });
    const s1 = await gateway.say(ANNA);
    gateway.store.routing.delete("/srv/sessions", KEY);
    gateway.clock.advance(30 * 60_000);
    await gateway.restart({ kill: true });
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1, how: "recovered" });
    gateway.store.routing.delete("/srv/sessions", KEY);
    gateway.clock.advance(61 * 60_000);
    await gateway.restart({ kill: true });
    const next = await gateway.router.resolve(ANNA);
    expect(next).toMatchObject({ how: "reset", why: "idle" });
    expect(gateway.store.sessions.get(s1).endReason).toBe("idle");
  });
});

describe("the reset policy", () => {
  it("GWS-03 is none at first: a year changes nothing", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.clock.advance(365 * DAY);
    expect(await gateway.say(ANNA)).toBe(s1);
  });

  it("GWS-03 counts real activity, which lookups are not", async () => {
    await using gateway = await openGateway({ resetPolicies: { default: { mode: "idle", idleMinutes: 10 } } });
    const s1 = await gateway.say(ANNA);
    gateway.clock.advance(9 * 60_000);
    await gateway.router.resolve(ANNA, { touchActivity: false });
    gateway.router.get(KEY);
    await gateway.router.explain(KEY);
    await gateway.router.setMetadata(KEY, { seen: 1 });
    gateway.clock.advance(60_000);
    expect((await gateway.router.resolve(ANNA, { touchActivity: false })).sessionId).toBe(s1);
    gateway.clock.advance(1000);
    const next = await gateway.router.resolve(ANNA);
    expect(next).toMatchObject({ how: "reset", why: "idle" });
    expect(next.entry).toMatchObject({ wasAutoReset: true, autoResetReason: "idle", isFreshReset: true });
    expect(gateway.store.sessions.get(s1).endReason).toBe("idle");
  });

  it("GWS-03 lets background work keep a conversation, and keeps it when nobody knows", async () => {
    let work: () => readonly number[] = () => [];
    await using gateway = await openGateway({
      resetPolicies: { default: { mode: "idle", idleMinutes: 10 } },
      backgroundWork: (key) => (key === KEY ? work() : []),
    });
    const s1 = await gateway.say(ANNA);
    gateway.clock.advance(11 * 60_000);
    work = () => [gateway.clock.now() - 60];
    expect((await gateway.router.resolve(ANNA, { touchActivity: false })).sessionId).toBe(s1);
    work = () => {
      throw new Error("no answer");
    };
    expect((await gateway.router.resolve(ANNA, { touchActivity: false })).sessionId).toBe(s1);
    expect(gateway.warnings.map(({ kind }) => kind)).toEqual(["background"]);
    work = () => [];
    expect((await gateway.router.resolve(ANNA)).why).toBe("idle");
  });

  it("GWS-03 replaces a suspended conversation always", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    await gateway.router.suspend(KEY);
    await gateway.restart();
    expect(gateway.router.get(KEY)?.suspended).toBe(true);
    const next = await gateway.router.resolve(ANNA);
    expect(next).toMatchObject({ how: "reset", why: "suspended" });
    expect(next.entry.suspended).toBe(false);
    expect(gateway.store.sessions.get(s1).endReason).toBe("suspended");
  });

  it("GWS-03 ends for good what time has ended: a later accident does not bring it back", async () => {
    await using gateway = await openGateway({ resetPolicies: { default: { mode: "idle", idleMinutes: 10 } } });
    const s1 = await gateway.say(ANNA);
    gateway.clock.advance(11 * 60_000);
    expect(await gateway.router.finalizeExpired()).toEqual([KEY]);
    expect(await gateway.router.finalizeExpired()).toEqual([]);
    gateway.store.sessions.end(s1, "agent_close");
    expect(gateway.store.sessions.get(s1).endReason).toBe("session_reset");
    expect((await gateway.router.resolve(ANNA)).sessionId).not.toBe(s1);
  });

  it("GWS-03 ends one session for good when its host says so, and never the one that came after it", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    await gateway.router.setModelOverride(KEY, { model: "m" });
    await gateway.router.setDisplayName(KEY, "Anna");
    expect(await gateway.router.finalize(KEY, s1, { clearModelOverride: false })).toBe(true);
    expect(await gateway.router.finalize(KEY, s1)).toBe(true);
    expect(gateway.router.get(KEY)).toMatchObject({ modelOverride: { model: "m" }, displayName: "Anna" });
    gateway.store.sessions.end(s1, "agent_close");
    expect(gateway.store.sessions.get(s1).endReason).toBe("session_reset");
    const s2 = await gateway.say(ANNA);
    expect(s2).not.toBe(s1);
    expect(await gateway.router.finalize(KEY, s1)).toBe(false);
    expect(await gateway.router.finalize("agent:main:x:dm:1", s1)).toBe(false);
    expect(gateway.store.sessions.get(s2).endReason).toBeNull();
  });
});

describe("several people", () => {
  it("GWS-04 of one room have their own sessions, and none gets another's after a restart", async () => {
    await using gateway = await openGateway();
    const [anna, ben] = [await gateway.say(room("u1")), await gateway.say(room("u2"))];
    expect(anna).not.toBe(ben);
    for (const { sessionKey } of gateway.router.list()) gateway.store.routing.delete("/srv/sessions", sessionKey);
    await gateway.restart({ kill: true });
    expect(await gateway.say(room("u3"))).not.toBe(ben);
    expect(await gateway.say(room("u2"))).toBe(ben);
    expect(await gateway.say(room("u1"))).toBe(anna);
  });

  it("GWS-04 share a session only where the policy says so; a shared one is not given to one of them later", async () => {
    await using gateway = await openGateway({ sharing: { groupSessionsPerUser: false } });
    const shared = await gateway.say(room("u1"));
    expect(await gateway.say(room("u2"))).toBe(shared);
    await gateway.restart({ sharing: { groupSessionsPerUser: true } });
    expect(await gateway.say(room("u2"))).not.toBe(shared);
    expect(await gateway.say(room("u1"))).not.toBe(shared);
  });

  it("GWS-04 of another profile are other people", async () => {
    await using gateway = await openGateway();
    const mine = await gateway.say(ANNA);
    const theirs = await gateway.say({ ...ANNA, profile: "work" });
    expect(theirs).not.toBe(mine);
    expect(await gateway.say({ ...ANNA, profile: "main" })).not.toBe(mine);
    expect(await gateway.say({ ...ANNA, profile: "default" })).toBe(mine);
  });
});

describe("moves", () => {
  it("P16 GWS-04 follow a compaction over any number of hops, and the continuation keeps who talks", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say({ ...ANNA, chatName: "Anna's chat" });
    let tip = s1;
    for (const n of [1, 2, 3]) {
      const messages = [{ role: "user", content: `so far ${String(n)}` }];
      const options = { messages, watermark: null, requireLease: false };
      tip = gateway.store.compaction.rotate(tip, { id: `c${String(n)}`, source: "telegram" }, options).sessionId;
    }
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: tip, how: "continued" });
    expect(gateway.store.sessions.get(tip)).toMatchObject({ chatId: "c1", userId: "u1", sessionKey: KEY });
    await gateway.restart({ kill: true });
    expect(gateway.router.get(KEY)?.sessionId).toBe(tip);
  });

  it("GWS-02 advance only what still leads to the expected session, and are no activity", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    const before = gateway.router.get(KEY)!.updatedAtSeconds;
    gateway.clock.advance(5000);
    expect((await gateway.router.advance(KEY, s1, "s2"))?.sessionId).toBe("s2");
    expect(gateway.router.get(KEY)?.updatedAtSeconds).toBe(before);
    expect(await gateway.router.advance(KEY, s1, "s3")).toBeNull();
    expect(await gateway.router.advance("agent:main:telegram:dm:nobody", s1, "s3")).toBeNull();
    expect(gateway.store.sessions.get(s1).endReason).toBeNull();
  });

  it("GWS-02 switch to another session and back; the one that is left ends", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    gateway.store.sessions.create({ id: "cli", source: "cli" });
    gateway.store.messages.append("cli", { role: "user", content: "from the terminal" });
    expect((await gateway.router.switchTo(KEY, "cli"))?.sessionId).toBe("cli");
    expect(gateway.store.sessions.get(s1).endReason).toBe("session_switch");
    expect(gateway.store.sessions.get("cli")).toMatchObject({ sessionKey: KEY, chatId: "c1" });
    expect((await gateway.router.switchTo(KEY, s1))?.sessionId).toBe(s1);
    expect(gateway.store.sessions.get(s1).endReason).toBeNull();
    const missing = gateway.router.switchTo(KEY, "nope");
    await expect(missing).rejects.toSatisfy((error) => isStateError(error, "STATE_E_SESSION_NOT_FOUND"));
  });

  it("GWS-04 do not lead a peer into another's session unless that is said", async () => {
    await using gateway = await openGateway();
    const [anna, ben] = [await gateway.say(ANNA), await gateway.say({ ...ANNA, chatId: "c2", userId: "u2" })];
    const stolen = gateway.router.switchTo(KEY, ben);
    await expect(stolen).rejects.toSatisfy((error) => isStateError(error, "STATE_E_SESSION_ROUTED"));
    expect(gateway.router.get(KEY)?.sessionId).toBe(anna);
  });

  it("GWS-02 prune what is old; suspended, pinned and working routes stay, and transcripts with all", async () => {
    await using gateway = await openGateway();
    const chats = ["old", "suspended", "pinned", "working", "new"];
    const of = (chatId: string): MessageSource => ({ ...ANNA, chatId, userId: chatId });
    const key = (chatId: string): string => `agent:main:telegram:dm:${chatId}`;
    const sessions = new Map<string, string>();
    for (const chat of chats.slice(0, 4)) sessions.set(chat, await gateway.say(of(chat)));
    await gateway.router.suspend(key("suspended"));
    gateway.store.sessions.setFlag(sessions.get("pinned")!, "pinned", true);
    await gateway.router.beginTurn(key("working"));
    gateway.clock.advance(31 * DAY);
    await gateway.say(of("new"));
    expect(await gateway.router.prune(0)).toEqual([]);
    expect(await gateway.router.prune(30)).toEqual([key("old")]);
    await gateway.restart();
    expect(
      gateway.router
        .list()
        .map((entry) => entry.sessionKey)
        .sort(),
    ).toEqual(chats.slice(1).map(key).sort());
    expect(await gateway.router.resolve(of("old"))).toMatchObject({ how: "recovered", sessionId: sessions.get("old") });
  });

  it("GWS-02 know whether anybody talked before", async () => {
    await using gateway = await openGateway();
    expect(await gateway.router.hasAny()).toBe(false);
    await gateway.say(ANNA);
    expect(await gateway.router.hasAny()).toBe(false);
    await gateway.say({ ...ANNA, chatId: "c2" });
    expect(await gateway.router.hasAny()).toBe(true);
  });

  it("GWS-02 note a model without its credentials, metadata and usage", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    const override = { model: "m", provider: "p", baseUrl: "https://x", apiKey: "sk-secret" };
    await gateway.router.setModelOverride(KEY, override);
    await gateway.router.setMetadata(KEY, { a: 1, b: 2 });
    await gateway.router.setMetadata(KEY, { b: null });
    await gateway.router.recordUsage(KEY, { inputTokens: 3, lastPromptTokens: 40 });
    await gateway.router.recordUsage(KEY, { inputTokens: 4, totalTokens: 9 });
    await expect(async () => gateway.router.recordUsage(KEY, { inputTokens: -1 })).rejects.toThrow(RangeError);
    await gateway.restart();
    expect(gateway.router.get(KEY)).toMatchObject({
      modelOverride: { model: "m", provider: "p" },
      metadata: { a: 1 },
      inputTokens: 7,
      totalTokens: 9,
      lastPromptTokens: 40,
    });
    const stored = JSON.stringify(gateway.store.routing.load("/srv/sessions"));
    expect(stored).not.toContain("sk-secret");
    expect((await gateway.router.reset(KEY))?.modelOverride).toBeNull();
  });
});

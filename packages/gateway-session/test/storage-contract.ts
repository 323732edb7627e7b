import type { JsonObject, NewMessage, PeerRecord, RouteTransition } from "@hermes/state-core";
import { isStateError } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import type { SessionStoragePort } from "../src/index.js";

/** An engine under test, with what no method of the port does. */
export interface StorageBench extends AsyncDisposable {
  readonly port: SessionStoragePort;
  /** A compaction: the conversation goes on in another session. */
  rotate(from: string, to: string): void | Promise<void>;
  /** Ends a session as an agent or a crash does. */
  end(sessionId: string, reason: string): void | Promise<void>;
  /** Lets time go by. */
  pass(ms: number): void | Promise<void>;
}

const KEY = "agent:main:telegram:dm:c1";
const PEER: PeerRecord = { source: "telegram", sessionKey: KEY, userId: "u1", chatId: "c1", chatType: "dm" };
const SCOPE = "/srv/sessions";

const entry = (sessionId: string): JsonObject => ({ session_key: KEY, session_id: sessionId, Ü: [1, null] });
const user = (content: string, more: Partial<NewMessage> = {}): NewMessage => ({ role: "user", content, ...more });

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: unknown) => (isStateError(error) ? error.code : String(error)),
  );
}

/** Leads the peer to a new session that has a row; what is given is part of the same step. */
function lead(port: SessionStoragePort, to: string, more: Partial<RouteTransition> = {}): ReturnType<typeof take> {
  const create = { ...PEER, id: to, ...more.create };
  return take(port, { entry: entry(to), ...more, create });
}

function take(port: SessionStoragePort, step: Partial<RouteTransition>): ReturnType<SessionStoragePort["transition"]> {
  return port.transition({ scope: SCOPE, sessionKey: KEY, entry: null, ...step });
}

async function said(port: SessionStoragePort, sessionId: string): Promise<unknown[]> {
  return (await port.conversation(sessionId)).messages.map(({ content }) => content);
}

/** What every engine behind the port promises. @param open - A fresh engine. */
export function runStorageContract(name: string, open: () => StorageBench | Promise<StorageBench>): void {
  describe(`the port over ${name}: routes`, () => {
    it("GWS-10 are stored per scope, come back as they were, and keys are compared byte by byte", async () => {
      await using bench = await open();
      const { port } = bench;
      expect(await port.loadRoutes(SCOPE)).toEqual([]);
      const keys = ["agent:main:matrix:group:!AbC", "agent:main:matrix:group:!abc"];
      for (const [n, key] of keys.entries()) await take(port, { sessionKey: key, entry: entry(`s${String(n)}`) });
      const [first] = await port.loadRoutes(SCOPE);
      expect(first).toMatchObject({ sessionKey: keys[0], entry: entry("s0") });
      expect(typeof first?.savedAtSeconds).toBe("number");
      expect((await port.findRoute(SCOPE, keys[1]!))?.entry).toEqual(entry("s1"));
      expect(await port.findRoute("/elsewhere", keys[1]!)).toBeUndefined();
      expect(await port.findRoute(SCOPE, keys[1]!.toUpperCase())).toBeUndefined();
    });

    it("GWS-10 are saved over the same session only, and added where they are missing", async () => {
      await using bench = await open();
      const { port } = bench;
      expect(await port.saveRoute(SCOPE, KEY, entry("s1"), "s1")).toBe(false);
      const missing = new Map([KEY, "other"].map((key) => [key, entry("s1")]));
      expect(await port.addMissingRoutes(SCOPE, missing)).toEqual([KEY, "other"]);
      expect(await port.addMissingRoutes(SCOPE, missing)).toEqual([]);
      expect(await port.saveRoute(SCOPE, KEY, { ...entry("s1"), n: 2 }, "s1")).toBe(true);
      expect(await port.saveRoute(SCOPE, KEY, entry("s2"), "s2")).toBe(false);
      expect((await port.findRoute(SCOPE, KEY))?.entry).toEqual({ ...entry("s1"), n: 2 });
    });

    it("GWS-10 of a hundred steps that expect the same entry one is taken", async () => {
      await using bench = await open();
      const { port } = bench;
      const ids = Array.from({ length: 100 }, (_, n) => `s${String(n)}`);
      const receipts = await Promise.all(ids.map((id) => lead(port, id, { expectedSessionId: null })));
      const taken = ids.filter((_, n) => receipts[n]?.applied);
      expect(taken).toHaveLength(1);
      expect((await port.findRoute(SCOPE, KEY))?.entry).toEqual(entry(taken[0]!));
      for (const { stored } of receipts) expect(stored?.entry).toEqual(entry(taken[0]!));
      expect(await port.countSessions()).toBe(1);
    });

    it("GWS-10 are deleted, and replace an older key, in the same step", async () => {
      await using bench = await open();
      const { port } = bench;
      await take(port, { sessionKey: "old", entry: entry("s1") });
      expect(await take(port, { entry: entry("s1"), replacesKey: "old" })).toMatchObject({ applied: true });
      expect((await port.loadRoutes(SCOPE)).map(({ sessionKey }) => sessionKey)).toEqual([KEY]);
      expect(await take(port, { expectedSessionId: "s1" })).toMatchObject({ applied: true, stored: undefined });
      expect(await port.loadRoutes(SCOPE)).toEqual([]);
    });
  });

  describe(`the port over ${name}: sessions`, () => {
    it("GWS-10 P18 one that was left on purpose does not come back, one that crashed does", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s1");
      await port.append("s1", user("hi"));
      await bench.end("s1", "agent_close");
      expect(await port.standing("s1")).toMatchObject({ state: "ended", endReason: "agent_close", spoken: true });
      expect((await port.latestForPeer(PEER))?.sessionId).toBe("s1");
      expect(await port.loadRoutes(SCOPE)).toMatchObject([{ sessionKey: KEY, sessionId: "s1", ended: true }]);
      await bench.pass(2_000);
      expect((await lead(port, "s1", { recover: "s1" })).applied).toBe(true);
      expect(await port.standing("s1")).toMatchObject({ state: "live", endReason: null, tip: "s1", tipLive: true });
      expect(await port.loadRoutes(SCOPE)).toMatchObject([{ sessionKey: KEY, ended: false }]);
      const leave = { sessionId: "s1", reason: "session_reset" };
      const reset = await lead(port, "s2", {
        expectedSessionId: "s1",
        leave,
        create: { ...PEER, id: "s2", parentSessionId: "s1" },
      });
      expect(reset).toMatchObject({ applied: true, created: true });
      expect(await port.standing("s1")).toMatchObject({ state: "ended", endReason: "session_reset" });
      expect((await lead(port, "s1", { recover: "s1" })).applied).toBe(false);
      expect(await port.latestForPeer(PEER)).toBeUndefined();
      expect(await port.generation("telegram", KEY)).toBe(1);
      const [newest, older] = await port.sessionsOfKey(KEY, 10);
      expect([newest?.sessionId, newest?.parentSessionId, older?.endReason]).toEqual(["s2", "s1", "session_reset"]);
      expect(await port.sessionsOfKey(KEY, 1)).toHaveLength(1);
    });

    it("GWS-07 count the generations of a peer, over another spelling of its key too", async () => {
      await using bench = await open();
      const { port } = bench;
      const old = "agent:main:telegram:dm:c:1";
      await lead(port, "s1", { sessionKey: old, create: { ...PEER, id: "s1", sessionKey: old } });
      await lead(port, "s2", { sessionKey: old, leave: { sessionId: "s1", reason: "idle" } });
      expect(await port.generation("telegram", old)).toBe(1);
      await lead(port, "s2", { replacesKey: old, peer: { sessionId: "s2", record: PEER } });
      expect(await port.generation("telegram", KEY)).toBe(1);
      await lead(port, "s3", { leave: { sessionId: "s2", reason: "session_reset" } });
      expect(await port.generation("telegram", KEY)).toBe(2);
      expect(await port.generation("slack", KEY)).toBe(0);
    });

    it("GWS-10 GWS-11 get a free title and their flags with their row", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s1", { create: { ...PEER, id: "s1", title: "Trip" } });
      const second = await lead(port, "s2", {
        create: { ...PEER, id: "s2", title: "Trip", parentSessionId: "none" },
        flags: { pinned: true },
      });
      expect(second).toMatchObject({ created: true, titleGiven: "Trip #2" });
      expect((await port.standing("s2")).pinned).toBe(true);
      expect((await lead(port, "s2")).created).toBe(false);
      expect(await port.setProperties("nobody", { title: "x" })).toBe(false);
      expect(await port.setProperties("s2", { title: "Mine", pinned: false })).toBe(true);
      expect((await port.standing("s2")).pinned).toBe(false);
      const code = await codeOf(port.setProperties("s2", { title: "Trip", pinned: true }));
      expect([code, (await port.standing("s2")).pinned]).toEqual(["STATE_E_TITLE_TAKEN", false]);
      const titles = (await port.sessionsOfKey(KEY, 10)).map(({ title }) => title);
      expect(titles.sort()).toEqual(["Mine", "Trip"]);
    });

    it("GWS-10 P16 are followed over three rotations to the tip, which a reset ends", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s0");
      await port.append("s0", user("hi"));
      for (const n of [1, 2, 3]) {
        await bench.pass(1_000);
        await bench.rotate(`s${String(n - 1)}`, `s${String(n)}`);
      }
      expect(await port.standing("s0")).toMatchObject({ state: "closed", tip: "s3", tipLive: true, spoken: true });
      expect((await port.latestForPeer(PEER))?.sessionId).toBe("s3");
      const all = await port.standings(["s0", "s3", "s9", "s0"]);
      expect([all.size, all.get("s9")?.state, all.get("s3")?.state]).toEqual([3, "missing", "live"]);
      await lead(port, "s4", { leave: { sessionId: "s0", reason: "session_reset" } });
      expect(await port.standing("s0")).toMatchObject({ state: "closed", tip: "s3", tipLive: false });
      expect(await port.latestForPeer(PEER)).toBeUndefined();
    });

    it("GWS-10 GWS-04 of a place are nobody else's, and nobody's when it is not certain", async () => {
      await using bench = await open();
      const { port } = bench;
      const room = { source: "discord", chatId: "room", chatType: "group" };
      for (const person of ["ann", "bob"]) {
        const sessionKey = `agent:main:discord:group:room:${person}`;
        const create = { ...room, id: person, sessionKey, userId: person };
        await take(port, { sessionKey, entry: { session_id: person }, create });
        await port.append(person, user(`from ${person}`));
      }
      expect((await port.sessionAt({ ...room, userId: "bob" }))?.sessionId).toBe("bob");
      expect(await port.sessionAt({ ...room, userId: "eve" })).toBeUndefined();
      expect(await port.sessionAt(room)).toBeUndefined();
      expect(await port.sessionAt({ ...room, userId: "bob", threadId: "t" })).toBeUndefined();
      const asked = { ...room, userId: "ann", sessionKey: "agent:main:discord:group:room" };
      expect((await port.latestForPeer(asked))?.userId).toBe("ann");
      expect(await port.latestForPeer({ ...asked, userId: "eve" })).toBeUndefined();
    });

    it("GWS-10 tell who talks, in the earlier segments too", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s0", { create: { id: "s0", source: "telegram" } });
      await bench.rotate("s0", "s1");
      const record = { ...PEER, originJson: '{"a": 1}' };
      await take(port, { entry: entry("s1"), peer: { sessionId: "s1", record, includeAncestors: true } });
      const origins = (await port.sessionsOfKey(KEY, 5)).map((session) => [session.sessionId, session.originJson]);
      expect(origins.sort()).toEqual([
        ["s0", '{"a": 1}'],
        ["s1", '{"a": 1}'],
      ]);
    });
  });

  describe(`the port over ${name}: transcripts`, () => {
    it("GWS-10 P14 store a message once, wherever in the conversation it is", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s0");
      const first = await port.append("s0", user("one", { messageUid: "u1", platformMessageId: "p1" }));
      expect(first).toMatchObject({ sessionId: "s0", existing: false });
      await bench.rotate("s0", "s1");
      expect(await codeOf(port.append("s0", user("two")))).toBe("STATE_E_COMPRESSION_CLOSED");
      expect(await port.append("s1", user("x", { messageUid: "u1" }), { once: true })).toEqual({
        ...first,
        existing: true,
      });
      expect(await port.append("s0", user("x", { platformMessageId: "p1" }), { once: "platform-id" })).toMatchObject({
        id: first.id,
      });
      expect(await port.append("s1", user("y", { messageUid: "u1" }), { once: "platform-id" })).toMatchObject({
        existing: false,
      });
      expect(await port.append("s1", user("z"))).toMatchObject({ existing: false });
      expect(await said(port, "s1")).toEqual(["summary", "y", "z"]);
      expect(await codeOf(port.append("nobody", user("x")))).toBe("STATE_E_SESSION_NOT_FOUND");
    });

    it("GWS-10 keep the order they were stored in, whatever the clock says", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s1");
      const all = Array.from({ length: 30 }, (_, n) => String(n));
      await Promise.all(all.map((content, n) => port.append("s1", user(content, { timestampSeconds: 1_000 - n }))));
      expect(await said(port, "s1")).toEqual(all);
    });

    it("GWS-10 of a session without a row are empty, and are never empty for any other reason", async () => {
      await using bench = await open();
      const { port } = bench;
      expect(await said(port, "nobody")).toEqual([]);
      expect(await port.rewind("nobody", 1)).toBeNull();
      await lead(port, "s1");
      expect(await port.conversation("s1")).toMatchObject({ sessionId: "s1", sessionIds: ["s1"], messages: [] });
    });

    it("GWS-10 are rewound by turns and replaced as a whole", async () => {
      await using bench = await open();
      const { port } = bench;
      await lead(port, "s1");
      for (const n of [1, 2, 3]) {
        await port.append("s1", user(`q${String(n)}`));
        await port.append("s1", { role: "assistant", content: `a${String(n)}` });
      }
      expect(await port.rewind("s1", 1)).toMatchObject({ rewoundCount: 2, target: { content: "q3" } });
      expect(await said(port, "s1")).toEqual(["q1", "a1", "q2", "a2"]);
      expect(await port.rewind("s1", 9)).toMatchObject({ rewoundCount: 4, newHeadId: null });
      expect(await port.rewind("s1", 1)).toBeNull();
      const replaced = await port.replace("s1", [user("new"), user("list")], "archive-dropped");
      expect(replaced.receipts.map(({ existing }) => existing)).toEqual([false, false]);
      expect(await said(port, "s1")).toEqual(["new", "list"]);
      expect((await port.replace("s1", [user("only")], "active-only")).removedCount).toBe(2);
      expect(await said(port, "s1")).toEqual(["only"]);
      expect(await codeOf(port.replace("nobody", [], "all"))).toBe("STATE_E_SESSION_NOT_FOUND");
    });
  });

  describe(`the port over ${name}: what gateways write down`, () => {
    it("GWS-10 GWS-08 who runs, how often something failed in a row, and what is to be handed over", async () => {
      await using bench = await open();
      const { port } = bench;
      await port.beat({ backendId: "b1", pid: 7, startedAtSeconds: 5, profile: "work", host: "h" });
      await bench.pass(1_000);
      await port.beat({ backendId: "b2", pid: 8, startedAtSeconds: 6 });
      expect((await port.heartbeats()).map(({ backendId, pid }) => [backendId, pid])).toEqual([
        ["b2", 8],
        ["b1", 7],
      ]);
      expect([await port.endBeat("b1"), await port.endBeat("b1")]).toEqual([true, false]);
      expect(await port.hygieneFailures(KEY)).toBe(0);
      expect([await port.countHygieneFailure(KEY), await port.countHygieneFailure(KEY)]).toEqual([1, 2]);
      expect([await port.clearHygieneFailures(KEY), await port.clearHygieneFailures(KEY)]).toEqual([true, false]);
      await lead(port, "s1");
      expect(await port.requestHandoff("nobody", "slack")).toBe(false);
      expect([await port.requestHandoff("s1", "slack"), await port.requestHandoff("s1", "slack")]).toEqual([
        true,
        false,
      ]);
      expect(await port.pendingHandoffs()).toMatchObject([{ sessionId: "s1", platform: "slack" }]);
      expect(await Promise.all([port.claimHandoff("s1"), port.claimHandoff("s1")])).toContain(false);
      expect([await port.settleHandoff("s1", "no such channel"), await port.settleHandoff("s1")]).toEqual([
        true,
        false,
      ]);
      expect(await port.requestHandoff("s1", "slack")).toBe(true);
    });

    it("GWS-10 GWS-08 work that was given away, whose result is delivered once", async () => {
      await using bench = await open();
      const { port } = bench;
      await port.saveDelegation("d1", { originSession: KEY, state: "running", dispatchedAtSeconds: 5 });
      await port.saveDelegation("d1", { state: "completed", resultJson: '"ok"' });
      expect(await port.findDelegation("d1")).toMatchObject({
        originSession: KEY,
        state: "completed",
        resultJson: '"ok"',
      });
      expect(await port.listDelegations({ originSession: KEY, state: "running" })).toEqual([]);
      expect(await port.listDelegations({ originSession: KEY })).toHaveLength(1);
      expect([await port.claimDelivery("d1", "a"), await port.claimDelivery("d1", "b")]).toEqual([true, false]);
      expect([await port.markDelivered("d1", "b"), await port.markDelivered("d1", "a")]).toEqual([false, true]);
      expect(await port.claimDelivery("d1", "b")).toBe(false);
      expect([await port.deleteDelegation("d1"), await port.deleteDelegation("d1")]).toEqual([true, false]);
    });
  });
}

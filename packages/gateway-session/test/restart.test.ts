import { describe, expect, it } from "vitest";
import type { MessageSource } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";

const ANNA: MessageSource = { platform: "telegram", chatId: "c1", chatType: "dm", userId: "u1" };
const KEY = "agent:main:telegram:dm:c1";

describe("a turn", () => {
  it("GWS-06 is marked in the storage before it runs; only its own token ends it", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    const first = await gateway.router.beginTurn(KEY);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    const stored = gateway.store.routing.find("/srv/sessions", KEY)?.entry;
    expect(stored?.["active_turn_token"]).toBe(first);
    const second = await gateway.router.beginTurn(KEY);
    expect(await gateway.router.endTurn(KEY, first!)).toBe(false);
    expect(await gateway.router.endTurn(KEY, second!)).toBe(true);
    expect(await gateway.router.endTurn(KEY, second!)).toBe(false);
    expect(gateway.router.get(KEY)).toMatchObject({ activeTurnToken: null, activeTurnStartedAtSeconds: null });
    expect(await gateway.router.beginTurn("agent:main:telegram:dm:nobody")).toBeUndefined();
  });

  it("GWS-06 that an unclean end cut off may be taken up, and once only", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    await gateway.router.beginTurn(KEY);
    gateway.clock.advance(30_000);
    await gateway.restart({ kill: true });
    expect(await gateway.router.recover({ clean: false })).toEqual({ resumable: [KEY], suspended: [] });
    const marked = gateway.router.get(KEY)!;
    expect(marked).toMatchObject({ resumePending: true, resumeReason: "restart_interrupted", activeTurnToken: null });
    expect(marked.lastResumeMarkedAtSeconds).toBe(gateway.clock.now());
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1 });
    await gateway.router.endTurn(KEY, (await gateway.router.beginTurn(KEY))!);
    expect(gateway.router.get(KEY)).toMatchObject({ resumePending: false, restartFailures: 0 });
    await gateway.restart({ kill: true });
    expect(await gateway.router.recover({ clean: false })).toEqual({ resumable: [], suspended: [] });
  });

  it("GWS-06 that failed leaves what waits waiting", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    await gateway.router.markResumePending(KEY, "shutdown");
    await gateway.router.endTurn(KEY, (await gateway.router.beginTurn(KEY))!, { ok: false });
    expect(gateway.router.get(KEY)?.resumePending).toBe(true);
    await gateway.router.clearResumePending(KEY);
    expect(gateway.router.get(KEY)?.resumePending).toBe(false);
  });

  it("GWS-06 means nothing after a clean end, nor when it is stale", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    await gateway.router.beginTurn(KEY);
    await gateway.restart();
    expect(await gateway.router.recover({ clean: true })).toEqual({ resumable: [], suspended: [] });
    expect(gateway.router.get(KEY)).toMatchObject({ activeTurnToken: null, restartFailures: 0 });
    await gateway.router.beginTurn(KEY);
    gateway.clock.advance(3601 * 1000);
    await gateway.restart({ kill: true });
    expect(await gateway.router.recover({ clean: false })).toEqual({ resumable: [], suspended: [] });
    expect(gateway.router.get(KEY)?.activeTurnToken).toBeNull();
  });

  it("GWS-06 does not make a suspended route one that resumes", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    await gateway.router.suspend(KEY);
    await gateway.router.markResumePending(KEY, "x");
    expect(gateway.router.get(KEY)?.resumePending).toBe(false);
    await gateway.router.beginTurn(KEY);
    await gateway.restart({ kill: true });
    expect((await gateway.router.recover({ clean: false })).resumable).toEqual([]);
  });

  it("GWS-06 interrupted three restarts in a row suspends its route: it may be what stops the gateway", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    const other: MessageSource = { ...ANNA, chatId: "c2" };
    await gateway.say(other);
    for (const round of [1, 2, 3]) {
      await gateway.router.beginTurn(KEY);
      if (round === 2) await gateway.router.beginTurn("agent:main:telegram:dm:c2");
      await gateway.restart({ kill: true });
      const { suspended } = await gateway.router.recover({ clean: false });
      expect(suspended).toEqual(round === 3 ? [KEY] : []);
    }
    expect(gateway.router.get("agent:main:telegram:dm:c2")).toMatchObject({ suspended: false, restartFailures: 0 });
    const next = await gateway.router.resolve(ANNA);
    expect(next).toMatchObject({ how: "reset", why: "suspended" });
    expect(next.sessionId).not.toBe(s1);
  });

  it("GWS-06 only restarts in a row count", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    for (const round of [1, 2, 3, 4, 5]) {
      if (round !== 3) await gateway.router.beginTurn(KEY);
      await gateway.restart({ kill: true });
      expect((await gateway.router.recover({ clean: false })).suspended).toEqual([]);
    }
  });

  it("GWS-06 routes that were active a moment ago are marked before a stop, the rest are not", async () => {
    await using gateway = await openGateway();
    await gateway.say({ ...ANNA, chatId: "c2" });
    gateway.clock.advance(121_000);
    await gateway.say(ANNA);
    expect(await gateway.router.suspendRecentlyActive()).toBe(1);
    expect(await gateway.router.suspendRecentlyActive()).toBe(0);
    expect(gateway.router.get(KEY)).toMatchObject({ resumePending: true, suspended: false });
  });
});

describe("a turn that waits to be taken up", () => {
  it("GWS-06 GWS-03 expires after its time where time may reset, and never where it may not", async () => {
    for (const mode of ["none", "daily"] as const) {
      await using gateway = await openGateway({ resetPolicies: { default: { mode, atHour: 23 } } });
      const s1 = await gateway.say(ANNA);
      await gateway.router.markResumePending(KEY, "shutdown");
      gateway.clock.advance(3600_000);
      expect((await gateway.router.resolve(ANNA, { touchActivity: false })).sessionId).toBe(s1);
      gateway.clock.advance(1000);
      const next = await gateway.router.resolve(ANNA, { touchActivity: false });
      expect(next.why).toBe(mode === "none" ? null : "resume_pending_expired");
    }
  });
});

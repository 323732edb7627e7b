import { describe, expect, it } from "vitest";
import { createSessionRouter, sqliteStorage } from "../src/index.js";
import type { MessageSource, SessionRouter, SessionStoragePort } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";
import type { TestGateway } from "./support/open-gateway.js";

const ANNA: MessageSource = { platform: "telegram", chatId: "c1", chatType: "dm", userId: "u1" };
const KEY = "agent:main:telegram:dm:c1";

function second(gateway: TestGateway): Promise<SessionRouter> {
  const { clock } = gateway;
  return createSessionRouter(sqliteStorage(gateway.store), { scope: "/srv/sessions", clock, touchDelayMs: 0 });
}

describe("two routers of one scope", () => {
  it("GWS-02 GWS-10 agree on the session of a new peer, whoever asks first", async () => {
    await using gateway = await openGateway();
    const other = await second(gateway);
    const [one, two] = await Promise.all([gateway.router.resolve(ANNA), other.resolve(ANNA)]);
    expect(one.sessionId).toBe(two.sessionId);
    expect([one.how, two.how].sort()).toEqual(["created", "known"]);
  });

  it("GWS-02 follow each other's resets and switches", async () => {
    await using gateway = await openGateway();
    const s1 = await gateway.say(ANNA);
    const other = await second(gateway);
    expect((await other.resolve(ANNA)).sessionId).toBe(s1);
    const s2 = (await gateway.router.reset(KEY))!.sessionId;
    expect(await other.resolve(ANNA)).toMatchObject({ sessionId: s2, how: "known" });
    await other.switchTo(KEY, s1);
    await gateway.router.materialize(KEY, s2);
    expect((await gateway.router.resolve(ANNA)).sessionId).toBe(s1);
  });

  it("GWS-02 a reset from stale memory leaves the session that is current, not the one that was", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    const other = await second(gateway);
    const s2 = (await gateway.router.reset(KEY))!.sessionId;
    await gateway.say(ANNA);
    const s3 = (await other.reset(KEY))!;
    expect(s3.previousSessionId).toBe(s2);
    expect(gateway.store.sessions.get(s2).endReason).toBe("session_reset");
    expect((await gateway.router.resolve(ANNA)).sessionId).toBe(s3.sessionId);
  });
});

/** A port that can be switched off. */
function failing(port: SessionStoragePort, down: { now: boolean }): SessionStoragePort {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) =>
        down.now ? Promise.reject(new Error("the storage is away")) : method.apply(target, args);
    },
  });
}

describe("a storage that is away", () => {
  it("GWS-10 keeps nobody from talking: what is known goes on, what is not begins, and both are stored later", async () => {
    const down = { now: false };
    await using gateway = await openGateway({}, (port) => failing(port, down));
    const s1 = await gateway.say(ANNA);
    down.now = true;
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1, durable: true });
    const ben: MessageSource = { ...ANNA, chatId: "c2", userId: "u2" };
    const begun = await gateway.router.resolve(ben);
    expect(begun).toMatchObject({ how: "created", durable: false });
    expect(await gateway.router.resolve(ben)).toMatchObject({ sessionId: begun.sessionId, durable: false });
    expect(await gateway.router.flush()).toHaveLength(2);
    await expect(gateway.router.reset(KEY)).rejects.toThrow("away");
    expect(gateway.router.get(KEY)?.sessionId).toBe(s1);
    down.now = false;
    expect(await gateway.router.flush()).toEqual([]);
    expect(await gateway.router.resolve(ben)).toMatchObject({ sessionId: begun.sessionId, durable: true });
    await gateway.restart({ kill: true });
    expect(await gateway.router.resolve(ben)).toMatchObject({ sessionId: begun.sessionId, how: "known" });
  });

  it("GWS-10 a session that was begun meanwhile gives way to the one that was stored, and its messages follow", async () => {
    const down = { now: false };
    const moved: string[][] = [];
    const onMoved = (...move: string[]): void => void moved.push(move);
    await using gateway = await openGateway({ onMoved }, (port) => failing(port, down));
    const s1 = await gateway.say(ANNA);
    down.now = true;
    await gateway.restart({ kill: true });
    expect(gateway.router.list()).toEqual([]);
    const begun = await gateway.router.resolve(ANNA);
    expect(begun.durable).toBe(false);
    down.now = false;
    expect(await gateway.router.resolve(ANNA)).toMatchObject({ sessionId: s1, durable: true });
    expect(moved).toEqual([[KEY, begun.sessionId, s1]]);
  });

  it("GWS-03 a reset that was asked for while it was away ends the old session when it is back", async () => {
    const down = { now: false };
    await using gateway = await openGateway({}, (port) => failing(port, down));
    const s1 = await gateway.say(ANNA);
    down.now = true;
    const begun = await gateway.router.resolve(ANNA, { forceNew: true });
    const again = await gateway.router.resolve(ANNA, { forceNew: true });
    expect(begun).toMatchObject({ how: "reset", durable: false });
    down.now = false;
    expect((await gateway.router.resolve(ANNA)).sessionId).toBe(again.sessionId);
    expect(gateway.store.sessions.get(s1).endReason).toBe("session_reset");
    await gateway.restart({ kill: true });
    expect((await gateway.router.resolve(ANNA)).sessionId).toBe(again.sessionId);
  });
});

import { describe, expect, it } from "vitest";
import type { MessageSource } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";

const ANNA: MessageSource = { platform: "telegram", chatId: "c1", chatType: "dm", userId: "u1" };
const KEY = "agent:main:telegram:dm:c1";

describe("explain", () => {
  it("GWS-09 tells why a key leads where it leads, also after a restart, and changes nothing", async () => {
    await using gateway = await openGateway({ resetPolicies: { default: { mode: "idle", idleMinutes: 60 } } });
    const s1 = await gateway.say(ANNA);
    const s2 = (await gateway.router.reset(KEY))!.sessionId;
    await gateway.say(ANNA);
    gateway.store.sessions.end(s2, "agent_close");
    await gateway.restart({ kill: true });
    const before = gateway.store.routing.load("/srv/sessions");
    const told = await gateway.router.explain(KEY);
    expect(gateway.store.routing.load("/srv/sessions")).toEqual(before);
    expect(told.entry?.sessionId).toBe(s2);
    expect(told.history.map(({ what, why }) => [what, why])).toEqual([
      ["created", undefined],
      ["reset", "session_reset"],
      ["reopened", "agent_close"],
    ]);
    expect(told.sessions.map(({ sessionId, endReason }) => [sessionId, endReason])).toEqual([
      [s2, null],
      [s1, "session_reset"],
    ]);
    expect(told).toMatchObject({ generation: 1, durable: true, policy: { mode: "idle" } });
    expect(told.next).toMatchObject({ reason: "idle", due: false });
    expect(told.because[0]).toContain(s2);
    gateway.clock.advance(3601_000);
    expect((await gateway.router.explain(KEY)).next).toMatchObject({ due: true });
  });

  it("GWS-09 tells that there is no route, and what is no key", async () => {
    await using gateway = await openGateway();
    expect(await gateway.router.explain(KEY)).toMatchObject({
      entry: null,
      sessions: [],
      parts: { platform: "telegram" },
    });
    expect(await gateway.router.explain("nonsense")).toMatchObject({ entry: null, parts: null, generation: null });
  });

  it("GWS-09 forgets steps beyond the limit, never the route", async () => {
    await using gateway = await openGateway();
    await gateway.say(ANNA);
    for (let n = 0; n < 30; n++) await gateway.router.reset(KEY);
    await gateway.restart();
    const { history, entry, generation } = await gateway.router.explain(KEY);
    expect(history).toHaveLength(20);
    expect(history.at(-1)?.sessionId).toBe(entry?.sessionId);
    expect(generation).toBeGreaterThan(0);
  });
});

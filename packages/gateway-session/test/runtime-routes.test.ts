import { testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { buildSessionKey, createRuntimeStates } from "../src/index.js";
import type { MessageSource } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";

const source: MessageSource = { platform: "telegram", chatId: "7" };
const key = buildSessionKey(source);
const HANDOFF = { messages: [{ role: "user", content: "summary" }], watermark: 0, requireLease: false };

it("P18 GWS-08 what a peer allowed before it began anew is not done after it, by whichever way the route was left", async () => {
  await using gateway = await openGateway({ resetPolicies: { default: { mode: "idle", idleMinutes: 60 } } });
  const runtimes = createRuntimeStates({ clock: testClock() });
  const enter = async (): Promise<ReturnType<typeof runtimes.of>> => {
    await gateway.say(source);
    return runtimes.enter((await gateway.router.resolve(source)).entry);
  };
  const first = await gateway.say(source);
  const ways: readonly (() => unknown)[] = [
    () => gateway.router.reset(key),
    () => gateway.router.resolve(source, { forceNew: true }),
    () => gateway.router.suspend(key),
    () => gateway.clock.advance(3601 * 1000),
    () => gateway.router.switchTo(key, first),
    () => gateway.store.sessions.end(gateway.router.get(key)!.sessionId, "session_reset"),
    async () => {
      gateway.store.routing.delete("/srv/sessions", key);
      gateway.store.sessions.end(gateway.router.get(key)!.sessionId, "new_session");
      await gateway.restart();
    },
  ];
  for (const [index, leave] of ways.entries()) {
    const before = await enter();
    before.approvals.ask("rm", "delete the folder").grant("conversation");
    before.conversation.reasoningOverride = "high";
    const turn = before.beginTurn();
    await leave();
    const after = await enter();
    expect(after.approvals.take("rm"), `way ${String(index)}`).toBe(false);
    expect(after.conversation.reasoningOverride).toBeNull();
    expect(turn.isCurrent).toBe(false);
  }
});

it("GWS-08 a compaction, an accident and a clean restart end no conversation", async () => {
  await using gateway = await openGateway();
  const runtimes = createRuntimeStates({ clock: testClock() });
  const enter = async (): Promise<ReturnType<typeof runtimes.of>> => {
    await gateway.say(source);
    return runtimes.enter((await gateway.router.resolve(source)).entry);
  };
  const { conversation, approvals } = await enter();
  approvals.ask("rm", "delete the folder").grant("conversation");
  conversation.reasoningOverride = "high";
  const session = (): string => gateway.router.get(key)!.sessionId;
  const rotate = (to: string): unknown => gateway.store.compaction.rotate(session(), { id: to }, HANDOFF);
  const ways: readonly (() => unknown)[] = [
    () => rotate("20270115_080000_0000aaaa"),
    () => gateway.store.sessions.end(session(), "agent_close"),
    () => gateway.restart(),
    async () => {
      const from = session();
      rotate("20270115_080000_0000bbbb");
      await gateway.router.advance(key, from, "20270115_080000_0000bbbb");
    },
  ];
  for (const [index, way] of ways.entries()) {
    await way();
    const after = await enter();
    expect(after.conversation.reasoningOverride, `way ${String(index)}`).toBe("high");
    expect(after.approvals.take("rm")).toBe(true);
  }
  expect(session()).toBe("20270115_080000_0000bbbb");
});

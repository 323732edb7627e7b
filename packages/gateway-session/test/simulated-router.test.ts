import { seedFor, testRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { buildSessionKey, simulateReset } from "../src/index.js";
import type { MessageSource, ResetPolicy, SimulatedEvent } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";

const source: MessageSource = { platform: "telegram", chatId: "7" };
const key = buildSessionKey(source);

/** What a timeline is made of: much talk, some of everything else. */
const KINDS = [
  ...Array<SimulatedEvent["kind"]>(6).fill("message"),
  "internal",
  "lookup",
  "lookup",
  "turn_begins",
  "turn_ends",
  "work_begins",
  "work_ends",
  "suspend",
  "resume_mark",
  "restart",
] as const;

it.each([
  { mode: "idle", idleMinutes: 90 },
  { mode: "daily", atHour: 3 },
  { mode: "both", idleMinutes: 600, atHour: 0, resumeFreshnessSeconds: 1800 },
  { mode: "none" },
] satisfies Partial<ResetPolicy>[])(
  "GWS-09 with policy %j the simulator foretells what the router does",
  async (policy) => {
    const random = testRandom(seedFor(`the simulator and the router agree, ${policy.mode}`));
    const work = new Map<string, number>();
    const zone = "America/New_York";
    const backgroundWork = (): number[] => [...work.values()];
    await using gateway = await openGateway({ resetPolicies: { default: policy }, zone, backgroundWork });
    const { clock } = gateway;
    const startSeconds = clock.now();
    let conversation = await gateway.say(source);
    let token: string | undefined;
    let conversations = 1;
    const events: SimulatedEvent[] = [];
    const seen: unknown[] = [];

    const act = async (event: SimulatedEvent): Promise<void> => {
      const { router } = gateway;
      switch (event.kind) {
        case "message":
          await gateway.say(source);
          return;
        case "internal":
          await router.resolve(source, { touchActivity: false });
          return;
        case "lookup":
          await router.explain(key);
          return;
        case "turn_begins":
          token = await router.beginTurn(key);
          return;
        case "turn_ends":
          if (token !== undefined) await router.endTurn(key, token, { ok: event.ok ?? true });
          return;
        case "work_begins":
          work.set("work", event.atSeconds);
          return;
        case "work_ends":
          work.delete("work");
          return;
        case "suspend":
          await router.suspend(key);
          return;
        case "resume_mark":
          await router.markResumePending(key, "resume_mark");
          return;
        case "restart":
          await gateway.restart();
          await gateway.router.recover({ clean: event.clean });
          return;
      }
    };

    for (let round = 0; round < 120; round++) {
      clock.advance(random.int(0, 5) === 0 ? random.int(0, 30 * 3600) * 1000 : random.int(0, 3600) * 1000);
      const kind = random.pick(KINDS);
      const flags =
        kind === "restart" ? { clean: random.next() < 0.5 } : kind === "turn_ends" ? { ok: random.next() < 0.8 } : {};
      const event = { atSeconds: clock.now(), kind, ...flags } as SimulatedEvent;
      await act(event);
      events.push(event);
      const entry = gateway.router.get(key);
      if (entry?.sessionId !== conversation) {
        conversation = entry?.sessionId ?? "none";
        conversations += 1;
      }
      const { next } = await gateway.router.explain(key);
      const { suspended, resumePending, updatedAtSeconds } = entry!;
      seen.push({ conversation: conversations, suspended, resumePending, updatedAtSeconds, next });
    }
    const steps = simulateReset(policy, events, { startSeconds, zone });
    const told = steps.map(({ conversation: n, suspended, resumePending, updatedAtSeconds, next }) => {
      return { conversation: n, suspended, resumePending, updatedAtSeconds, next };
    });
    expect(told).toEqual(seen);
  },
);

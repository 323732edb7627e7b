import { RESET_END_REASONS, StateError } from "@hermes/state-core";
import { seedFor, testRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { buildSessionKey, sqliteStorage } from "../src/index.js";
import type { MessageSource } from "../src/index.js";
import { openGateway } from "./support/open-gateway.js";
import type { TestGateway } from "./support/open-gateway.js";

const peer = (chatId: string): MessageSource => ({ platform: "telegram", chatId });
const generation = (gateway: TestGateway, source: MessageSource): Promise<number> =>
  sqliteStorage(gateway.store).generation(source.platform, buildSessionKey(source));

const ENDS = [...RESET_END_REASONS, "new_session", "agent_close", "compression", "cli_close"];
const PEERS = ["1", "2", "3"].map(peer);

type Operation = (gateway: TestGateway, key: string, source: MessageSource, sessions: string[]) => unknown;

/** Everything that moves a route, ends a session or takes rows away. */
const OPERATIONS: Record<string, Operation> = {
  say: (gateway, _, source) => gateway.say(source),
  forceNew: async ({ router }, _, source) => router.resolve(source, { forceNew: true }),
  reset: ({ router }, key) => router.reset(key),
  suspend: ({ router }, key) => router.suspend(key),
  switchBack: ({ router }, key, _, sessions) =>
    sessions[0] === undefined ? undefined : router.switchTo(key, sessions[0], { takeOver: true }),
  finalize: ({ router }) => router.finalizeExpired(),
  pruneRoutes: ({ router }) => router.prune(1),
  deleteRoute: ({ store }, key) => store.routing.delete("/srv/sessions", key),
  clearScope: ({ store }) => store.routing.replace("/srv/sessions", new Map()),
  reopen: ({ store }, _, __, sessions) => sessions[0] !== undefined && store.sessions.reopen(sessions[0]),
  promote: ({ store }, _, __, sessions) => sessions[0] !== undefined && store.sessions.promoteToReset(sessions[0]),
  delete: ({ store }, _, __, sessions) => sessions[0] !== undefined && store.retention.delete(sessions[0]),
  prune: ({ store }) => store.retention.prune({ olderThanDays: 1 }),
  deleteEmpty: ({ store }) => store.retention.deleteEmpty(),
  maintain: ({ store }) => store.retention.autoMaintain({ retentionDays: 1 }),
  vacuum: ({ store }) => store.retention.vacuum(),
  removeByHand: ({ store }, key) =>
    store.write("test", (w) => w.run("DELETE FROM sessions WHERE session_key = ?", [key])),
  restart: (gateway) => gateway.restart(),
  kill: (gateway) => gateway.restart({ kill: true }),
  wait: ({ clock }) => clock.advance(50 * 3600 * 1000),
};

it("GWS-07 generations only ever increase, whatever is reset, pruned, deleted or restarted", async () => {
  const random = testRandom(seedFor("generations only ever increase"));
  await using gateway = await openGateway({ resetPolicies: { default: { mode: "both" } } });
  const seen = new Map(PEERS.map((source) => [source, 0]));
  const taken: string[] = [];
  const end: Operation = ({ store }, _, __, [id]) => id !== undefined && store.sessions.end(id, random.pick(ENDS));
  const operations = Object.entries({ ...OPERATIONS, end });
  for (let round = 0; round < 400; round++) {
    const source = random.pick(PEERS);
    const key = buildSessionKey(source);
    const [name, operation] = random.next() < 0.4 ? (["say", OPERATIONS.say!] as const) : random.pick(operations);
    const sessions = gateway.store.routing.sessionsOfKey(key, 9).map(({ id }) => id);
    taken.push(name);
    try {
      await operation(gateway, key, source, sessions.length > 0 ? [random.pick(sessions)] : []);
    } catch (error) {
      // Some of them are refused for a good reason; what matters is what they leave behind.
      if (!(error instanceof StateError)) throw error;
    }
    for (const each of PEERS) {
      const now = await generation(gateway, each);
      expect(now, `after ${taken.slice(-5).join(", ")}`).toBeGreaterThanOrEqual(seen.get(each) as number);
      seen.set(each, now);
    }
  }
  expect(Math.max(...seen.values())).toBeGreaterThan(3);
});

it("GWS-07 each reset of a conversation counts once, an accident and a compaction do not", async () => {
  await using gateway = await openGateway();
  const source = peer("7");
  const key = buildSessionKey(source);
  const { store, router } = gateway;
  const first = await gateway.say(source);
  expect(await generation(gateway, source)).toBe(0);
  store.sessions.end(first, "agent_close");
  await gateway.say(source);
  expect(await generation(gateway, source)).toBe(0);
  await router.reset(key);
  expect(await generation(gateway, source)).toBe(1);
  store.sessions.promoteToReset(first);
  expect(await generation(gateway, source)).toBe(1);
  await gateway.say(source);
  await router.suspend(key);
  await router.resolve(source);
  expect(await generation(gateway, source)).toBe(2);
  expect(await generation(gateway, peer("8"))).toBe(0);
});

it("GWS-07 of many gateways that reset one peer at once every reset counts", async () => {
  await using gateway = await openGateway();
  const source = peer("9");
  const key = buildSessionKey(source);
  for (let round = 1; round <= 5; round++) {
    await gateway.say(source);
    await Promise.all([gateway.router.reset(key), gateway.router.reset(key)]);
    // The second one leaves a session that nobody has spoken in: it has no row, and no conversation has begun in it.
    expect(await generation(gateway, source)).toBe(round);
  }
});

import { copyFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { seedFor, tempDir, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { checkLineages, Lineages } from "./check-lineages.js";
import type { Said } from "./check-lineages.js";
import { makeConversations } from "./conversations.js";
import { SimulatedGateway } from "./simulated-gateway.js";
import { Simulation } from "./simulate.js";

/** How often the gateway is started; more of them for a night's run. */
const ROUNDS = Number(process.env["HERMES_GATEWAY_ROUNDS"] ?? 10);
const PEERS = 1_000;
const WIDTH = 24;

describe("a thousand peers", () => {
  it("GWS-05 GWS-03 P18 P19 P14 keep their conversations over restarts and kills", async () => {
    const title = "a thousand peers";
    const random = testRandom(seedFor(title));
    using dir = tempDir("simulation");
    const path = dir.file("state.db");
    const conversations = makeConversations(random, PEERS);
    const simulation = new Simulation(random, conversations);
    const perRound = Math.ceil((PEERS * 3) / ROUNDS);
    for (let round = 0; round < ROUNDS; round++) {
      await using gateway = await SimulatedGateway.start(path);
      await simulation.settle(gateway);
      const kill = random.next() < 0.7;
      await simulation.run(gateway, random.int(perRound / 2, perRound * 1.5), WIDTH, kill);
      if (!kill) expect(await gateway.stop()).toBe(0);
    }
    expect(simulation.met.length).toBeGreaterThan(PEERS * 0.8);
    for (const what of ["lost messages", "redelivered", "resets", "compact", "accident"]) {
      expect(simulation.counts[what], what).toBeGreaterThan(0);
    }
    let current: ReturnType<typeof checkLineages>;
    {
      await using gateway = await SimulatedGateway.start(path);
      await simulation.settle(gateway);
      expect(await gateway.stop()).toBe(0);
      using store = openStateStore({ path });
      current = checkLineages(store, conversations);
    }
    // Whoever comes back goes on where it was: not in what it left, and in what an accident ended.
    await using gateway = await SimulatedGateway.start(path);
    const returning = simulation.met.filter((_, n) => n % 5 === 0);
    for (const conversation of returning) await simulation.say(gateway, conversation);
    expect(await gateway.stop()).toBe(0);
    using store = openStateStore({ path });
    const after = checkLineages(store, conversations);
    for (const conversation of returning) {
      const before = current.get(conversation);
      if (before !== undefined) expect(after.get(conversation), conversation.prefix).toBe(before);
    }
  }, 180_000);

  it("GWS-05 the check sees a message that is lost, doubled, moved or given to somebody else (planted)", async () => {
    using dir = tempDir("planted");
    const path = dir.file("state.db");
    const conversations = makeConversations(testRandom(11), 6);
    const simulation = new Simulation(testRandom(5), conversations);
    await using gateway = await SimulatedGateway.start(path);
    for (let n = 0; n < 4; n++) for (const each of conversations) await simulation.say(gateway, each);
    expect(await gateway.stop()).toBe(0);
    const plant = (name: string, sql: string, params: (store: StateStore) => (string | number)[]): (() => void) => {
      copyFileSync(path, dir.file(name));
      using store = openStateStore({ path: dir.file(name) });
      store.write("plant", (w) => w.run(sql, params(store)));
      return () => {
        using planted = openStateStore({ path: dir.file(name) });
        checkLineages(planted, conversations);
      };
    };
    const at = (store: StateStore, text: string): Said => new Lineages(store).rows(text)[0]!;
    plant("sound.db", "SELECT ?", () => [1])();
    expect(plant("lost.db", "DELETE FROM messages WHERE id = ?", (store) => [at(store, "p0-1").id])).toThrow("stored once");
    const double = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'p0-1', 1)";
    expect(plant("doubled.db", double, (store) => [at(store, "p0-1").sessionId])).toThrow("stored once");
    const move = "UPDATE messages SET session_id = ? WHERE id = ?";
    const moved = (store: StateStore): (string | number)[] => [at(store, "p1-1").sessionId, at(store, "p0-1").id];
    expect(plant("moved.db", move, moved)).toThrow("one lineage");
    const give = "UPDATE messages SET session_id = ? WHERE session_id = ?";
    const given = (store: StateStore): string[] => [at(store, "p1-1").sessionId, at(store, "p0-1").sessionId];
    expect(plant("given.db", give, given)).toThrow(/p[01]-: expected 'agent/);
    const swap = "UPDATE messages SET id = 1000 WHERE id = ?";
    expect(plant("swapped.db", swap, (store) => [at(store, "p0-1").id])).toThrow("in the order");
  }, 60_000);
});

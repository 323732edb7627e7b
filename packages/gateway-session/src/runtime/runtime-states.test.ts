import { seedFor, testClock, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import type { RouteStep } from "../entry/routing-entry.js";
import { crossesBoundary, markRoute } from "./crosses-boundary.js";
import { createRuntimeStates } from "./runtime-states.js";
import { DEFAULT_SCOPES, newPersistentState } from "./runtime-scopes.js";

const KEY = "agent:main:telegram:dm:7";
const closed: unknown = expect.objectContaining({ code: "STATE_E_SCOPE_CLOSED" });
const clock = testClock(1000);

function states(): ReturnType<typeof createRuntimeStates> {
  return createRuntimeStates({ clock });
}

describe("eviction", () => {
  it("GWS-08 what nobody asked for in a while is dropped, unless something is kept there", () => {
    const runtimes = states();
    runtimes.of("plain");
    runtimes.of("conversation").conversation.sidecarNotes = ["note"];
    runtimes.of("persistent").persistent.updatePromptPending = true;
    runtimes.of("approval").approvals.ask("a", "a").grant("conversation");
    runtimes.of("question").approvals.ask("a", "a");
    runtimes.of("turn").beginTurn();
    const late = runtimes.of("lease");
    late.beginTurn().holdLease(() => undefined);
    late.stopTurn();
    expect(runtimes.evictIdle(60)).toEqual([]);
    clock.advance(60_000);
    runtimes.of("fresh");
    expect(runtimes.evictIdle(60)).toEqual(["plain"]);
    expect(runtimes.size).toBe(7);
    expect(runtimes.of("conversation").conversation.sidecarNotes).toEqual(["note"]);
    expect(runtimes.of("persistent").persistent.updatePromptPending).toBe(true);
    expect(runtimes.find("approval")?.approvals.take("a")).toBe(true);
    expect(runtimes.find("plain")).toBeUndefined();
  });

  it("GWS-08 a field of the host's own keeps a runtime as well", () => {
    const scopes = { ...DEFAULT_SCOPES, persistent: () => ({ ...newPersistentState(), debts: 0 }) };
    const runtimes = createRuntimeStates({ scopes, clock });
    runtimes.of(KEY).persistent.debts = 1;
    expect(runtimes.evictIdle(0)).toEqual([]);
    runtimes.of(KEY).persistent.debts = 0;
    expect(runtimes.evictIdle(0)).toEqual([KEY]);
  });

  it("GWS-08 whoever still holds a dropped runtime is refused, so that nothing is lost in silence", () => {
    const runtimes = states();
    const old = runtimes.of(KEY);
    const { conversation, persistent, approvals } = old;
    expect(runtimes.evictIdle(0)).toEqual([KEY]);
    expect(() => (conversation.ephemeralPin = "x")).toThrow(closed);
    expect(() => (persistent.pendingText = "x")).toThrow(closed);
    expect(() => approvals.ask("a", "a")).toThrow(closed);
    expect(() => old.beginTurn()).toThrow(closed);
    expect(() => old.beginConversation()).toThrow(closed);
    expect(runtimes.of(KEY)).not.toBe(old);
  });

  it("GWS-08 no run generation ever falls or comes twice, whatever is dropped", () => {
    const runtimes = states();
    const random = testRandom(seedFor("run generations under eviction"));
    const seen = new Map<string, number>();
    const used = new Set<number>();
    for (let round = 0; round < 2000; round++) {
      const key = `peer ${String(random.int(1, 9))}`;
      const runtime = runtimes.of(key);
      expect(runtime.runGeneration).toBeGreaterThanOrEqual(seen.get(key) ?? 0);
      const turn = runtime.beginTurn();
      expect(used.has(turn.generation)).toBe(false);
      used.add(turn.generation);
      if (random.next() < 0.8) turn.end();
      if (random.next() < 0.2) runtime.beginConversation();
      seen.set(key, runtime.runGeneration);
      if (random.next() < 0.5) runtimes.evictIdle(0);
    }
    expect(runtimes.size).toBeLessThan(10);
  });
});

describe("routes", () => {
  let at = 0;
  const step = (what: string, sessionId: string): RouteStep => ({ atSeconds: ++at, what, sessionId });
  const route = (
    sessionId: string,
    ...history: RouteStep[]
  ): Parameters<typeof markRoute>[0] & { sessionKey: string } => ({
    sessionKey: KEY,
    sessionId,
    history,
  });
  const created = step("created", "s1");

  it("P18 GWS-08 a reset of the route begins a conversation, by whatever way it came", () => {
    const runtimes = states();
    const runtime = runtimes.enter(route("s1", created));
    runtime.approvals.ask("rm", "delete").grant("conversation");
    runtime.conversation.reasoningOverride = "high";
    const same = runtimes.enter(route("s1", created, step("resume_pending", "s1"), step("reopened", "s1")));
    expect(same).toBe(runtime);
    expect(same.conversation.reasoningOverride).toBe("high");
    runtimes.enter(route("s2", created, step("reset", "s2")));
    expect(runtime.conversation.reasoningOverride).toBeNull();
    expect(runtime.approvals.take("rm")).toBe(false);
  });

  it.each([
    ["nothing happened", route("s1", created), false],
    ["it was marked and suspended", route("s1", created, step("suspended", "s1")), false],
    ["a compaction moved it", route("s3", created, step("advanced", "s2"), step("continued", "s3")), false],
    ["its key was spelt anew", route("s1", created, step("upgraded_key", "s1")), false],
    ["the peer began anew", route("s2", created, step("reset", "s2")), true],
    ["it was switched away and back", route("s1", created, step("switched", "s2"), step("switched", "s1")), true],
    ["an older session was found again", route("s0", created, step("recovered", "s0")), true],
    ["a reset came before a compaction", route("s3", created, step("reset", "s2"), step("advanced", "s3")), true],
    ["it was dropped and made anew", route("s2", step("created", "s2")), true],
    ["somebody moved it and wrote nothing down", route("s2", created), true],
    ["its history was lost", route("s1"), true],
  ])("GWS-08 when %s, a route knows whether its conversation is over", (_, entry, crossed) => {
    expect(crossesBoundary(markRoute(route("s1", created)), entry)).toBe(crossed);
  });

  it("GWS-08 a route without a history goes by its session", () => {
    const mark = markRoute(route("s1"));
    expect(crossesBoundary(mark, route("s1"))).toBe(false);
    expect(crossesBoundary(mark, route("s2"))).toBe(true);
    expect(crossesBoundary(mark, route("s2", step("advanced", "s2")))).toBe(false);
    expect(crossesBoundary(mark, route("s2", step("reset", "s2")))).toBe(true);
  });
});

import { UNSET } from "@hermes/gateway-session";
import { describe, expect, it } from "vitest";
import {
  LEGACY_FIELD_SPECS,
  legacyDictProperty,
  legacyLeaseTokenProperty,
  SERVICE_TIER_UNSET,
  SessionFieldView,
  SessionState,
  TurnLeaseTokenView,
} from "../src/gateway/session-state/index.js";

const KEY = "agent:main:telegram:dm:42";

/** A gateway of a plugin that knows the old maps. */
interface OldGateway {
  readonly sessionStates: Map<string, SessionState>;
  runningAgents: Iterable<readonly [string, unknown]>;
  readonly turnLeaseTokens: TurnLeaseTokenView;
}

function oldGateway(): OldGateway {
  return Object.defineProperties({ sessionStates: new Map<string, SessionState>() } as OldGateway, {
    runningAgents: legacyDictProperty("runningAgents"),
    turnLeaseTokens: legacyLeaseTokenProperty(),
  });
}

describe("the state of a session", () => {
  it("CPT-02 CPT-03 says with the sentinel of the focused package that nobody chose a tier", () => {
    expect(SERVICE_TIER_UNSET).toBe(UNSET);
    expect(new SessionState().conversation.serviceTier).toBe(SERVICE_TIER_UNSET);
  });

  it("CPT-03 begins anew at a boundary, with fields that a host added", () => {
    const { turn, conversation, persistent } = new SessionState();
    Object.assign(turn, { agent: {}, planted: 1 });
    Object.assign(conversation, { serviceTier: null, queuedEvents: [1], planted: 1 });
    persistent.pendingText = "kept";
    turn.clear();
    conversation.clear();
    expect({ turn, conversation }).toEqual({
      turn: new SessionState().turn,
      conversation: new SessionState().conversation,
    });
    expect(persistent.pendingText).toBe("kept");
  });

  it("CPT-03 never lets the generation of a run fall", () => {
    const { persistent } = new SessionState();
    persistent.runGeneration = 3;
    persistent.runGeneration = 1;
    expect(persistent.runGeneration).toBe(3);
  });
});

describe("an old map", () => {
  it.each(Object.entries(LEGACY_FIELD_SPECS))("CPT-03 %s is a view of a field that there is", (name, spec) => {
    const states = new Map([[KEY, new SessionState()]]);
    expect(spec.field in states.get(KEY)![spec.scope]).toBe(true);
    const view = new SessionFieldView(states, spec);
    expect([view.size, view.has(KEY), view.get(KEY), view.delete(KEY)]).toEqual([0, false, undefined, false]);
    view.set(KEY, 7).set("another", 8);
    expect(new Map(view)).toEqual(
      new Map([
        [KEY, 7],
        ["another", 8],
      ]),
    );
    expect(Reflect.get(states.get(KEY)![spec.scope], spec.field)).toBe(7);
    expect(legacyDictProperty(name).get).toBeTypeOf("function");
  });

  it("CPT-03 loses what a boundary clears, and clears its own field alone", () => {
    const states = new Map([[KEY, new SessionState()]]);
    const agents = new SessionFieldView(states, LEGACY_FIELD_SPECS["runningAgents"]!);
    const tiers = new SessionFieldView(states, LEGACY_FIELD_SPECS["sessionServiceTiers"]!);
    agents.set(KEY, "agent");
    tiers.set(KEY, null);
    expect([tiers.has(KEY), tiers.get(KEY)]).toEqual([true, null]);
    agents.clear();
    expect([agents.size, tiers.size]).toEqual([0, 1]);
    states.get(KEY)?.conversation.clear();
    expect(tiers.has(KEY)).toBe(false);
  });

  it("CPT-03 is a property of the gateway; an assigned map takes the place of all values", () => {
    const gateway = oldGateway();
    gateway.runningAgents = new Map([["a", 1]]);
    gateway.runningAgents = new Map([["b", 2]]);
    expect([...gateway.runningAgents]).toEqual([["b", 2]]);
    expect(gateway.sessionStates.get("b")?.turn.agent).toBe(2);
    expect(() => legacyDictProperty("toString")).toThrow(RangeError);
  });

  it("CPT-03 of lease tokens gives each out once, whatever became of the turn", () => {
    const gateway = oldGateway();
    gateway.turnLeaseTokens.set([KEY, 1], "t1").set([KEY, 2], "t2");
    gateway.sessionStates.get(KEY)?.turn.clear();
    expect(gateway.turnLeaseTokens.get([KEY, 1])).toBe("t1");
    expect([gateway.turnLeaseTokens.delete([KEY, 1]), gateway.turnLeaseTokens.delete([KEY, 1])]).toEqual([true, false]);
    expect([...gateway.turnLeaseTokens]).toEqual([[[KEY, 2], "t2"]]);
    expect([gateway.turnLeaseTokens.size, gateway.turnLeaseTokens.has(["none", 1])]).toEqual([1, false]);
  });
});

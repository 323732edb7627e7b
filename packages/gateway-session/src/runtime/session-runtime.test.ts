import { testClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { createRuntimeStates } from "./runtime-states.js";
import { DEFAULT_SCOPES, newConversationState, newTurnState, UNSET } from "./runtime-scopes.js";
import type { SessionRuntime } from "./session-runtime.js";

const KEY = "agent:main:telegram:dm:7";
const closed: unknown = expect.objectContaining({ code: "STATE_E_SCOPE_CLOSED" });

function begin(): SessionRuntime {
  return createRuntimeStates({ clock: testClock(1000) }).of(KEY);
}

describe("scopes", () => {
  it("GWS-08 each scope has its own boundary: a turn ends, a conversation begins, the rest stays", () => {
    const runtime = begin();
    const turn = runtime.beginTurn();
    turn.state.busyAckAtSeconds = 1001;
    runtime.conversation.reasoningOverride = "high";
    runtime.persistent.pendingText = "and then";
    turn.end();
    expect(runtime.beginTurn().state).toEqual(newTurnState(1000));
    expect(runtime.conversation.reasoningOverride).toBe("high");
    runtime.beginConversation();
    expect(runtime.conversation).toEqual(newConversationState());
    expect(runtime.persistent.pendingText).toBe("and then");
  });

  it("GWS-08 every field of a scope is cleared at its boundary, whichever there are", () => {
    const runtime = begin();
    const fill = (state: object): void => {
      for (const field of Object.keys(state)) Object.assign(state, { [field]: "set" });
    };
    const turn = runtime.beginTurn();
    fill(turn.state);
    fill(runtime.conversation);
    runtime.beginConversation();
    expect(runtime.conversation).toEqual(newConversationState());
    expect(runtime.beginTurn().state).toEqual(newTurnState(1000));
  });

  it("GWS-08 a field that somebody adds later, in a scope or on the fly, is cleared without further ado", () => {
    const runtimes = createRuntimeStates({
      scopes: {
        ...DEFAULT_SCOPES,
        turn: (now) => ({ ...newTurnState(now), toolBudget: 5 }),
        conversation: () => ({ ...newConversationState(), mood: "plain", seen: new Set<string>() }),
      },
    });
    const runtime = runtimes.of(KEY);
    const turn = runtime.beginTurn();
    turn.state.toolBudget = 1;
    runtime.conversation.mood = "grim";
    runtime.conversation.seen.add("a");
    Object.assign(runtime.conversation, { planted: true });
    Object.assign(turn.state, { planted: true });
    turn.end();
    expect(runtime.beginTurn().state).toMatchObject({ toolBudget: 5 });
    expect(runtime.turn?.state).not.toHaveProperty("planted");
    runtime.beginConversation();
    expect(runtime.conversation).toEqual({ ...newConversationState(), mood: "plain", seen: new Set() });
  });

  it("GWS-08 no service tier is a choice, and not the same as none made", () => {
    const runtime = begin();
    expect(runtime.conversation.serviceTier).toBe(UNSET);
    runtime.conversation.serviceTier = null;
    expect(runtime.conversation.serviceTier).toBeNull();
    expect(runtime.isAtRest).toBe(false);
    runtime.beginConversation();
    expect(runtime.conversation.serviceTier).toBe(UNSET);
  });

  it("GWS-08 a write through a handle of an ended turn or conversation is refused, whatever the field", () => {
    const runtime = begin();
    const { conversation } = runtime;
    const turn = runtime.beginTurn();
    const { state } = turn;
    turn.end();
    expect(() => (state.redirectTarget = "x")).toThrow(closed);
    expect(() => Object.assign(state, { planted: 1 })).toThrow(closed);
    expect(() => Object.defineProperty(state, "planted", { value: 1 })).toThrow(closed);
    expect(() => delete (state as Partial<typeof state>).agent).toThrow(closed);
    expect(state.startedAtSeconds).toBe(1000);
    conversation.ephemeralPin = "before";
    runtime.beginConversation();
    expect(() => (conversation.ephemeralPin = "after")).toThrow(closed);
    expect(conversation.ephemeralPin).toBe("before");
    expect(runtime.conversation.ephemeralPin).toBeNull();
  });

  it("GWS-08 a new conversation gives up the turn that was the old one's", () => {
    const runtime = begin();
    const turn = runtime.beginTurn();
    runtime.beginConversation();
    expect(runtime.turn).toBeUndefined();
    expect(turn.isCurrent).toBe(false);
    expect(() => (turn.state.agent = {})).toThrow(closed);
    expect(turn.end()).toBe(false);
  });
});

describe("turns and leases", () => {
  it("GWS-08 a run generation only grows, over turns, stops and conversations", () => {
    const runtime = begin();
    const seen = [runtime.runGeneration];
    const note = (): unknown => seen.push(runtime.runGeneration);
    const first = runtime.beginTurn();
    note();
    runtime.beginTurn();
    note();
    expect(runtime.stopTurn()).toBe(true);
    note();
    expect(runtime.stopTurn()).toBe(false);
    runtime.beginTurn();
    note();
    runtime.beginConversation();
    note();
    first.end();
    note();
    const sorted = [...seen].sort((a, b) => a - b);
    expect(seen).toEqual(sorted);
    expect(new Set(seen).size).toBe(seen.length - 1);
  });

  it("GWS-08 a lease is given back exactly once, by the turn that took it", () => {
    const runtime = begin();
    const released: string[] = [];
    const first = runtime.beginTurn();
    first.holdLease(() => released.push("first"));
    const second = runtime.beginTurn();
    second.holdLease(() => released.push("second"));
    expect(released).toEqual([]);
    expect(runtime.heldLeases).toEqual([first.generation, second.generation]);
    // The turn that was replaced comes to its end late: it gives back its own lease and not the other's.
    expect(first.end()).toBe(false);
    expect(released).toEqual(["first"]);
    expect(first.releaseLease()).toBe(false);
    expect(runtime.turn).toBe(second);
    expect(second.end()).toBe(true);
    expect(second.end()).toBe(false);
    expect(released).toEqual(["first", "second"]);
    expect(runtime.heldLeases).toEqual([]);
  });

  it("GWS-08 a second lease of a turn takes the place of the first; one that comes too late is given back at once", () => {
    const runtime = begin();
    const released: string[] = [];
    const turn = runtime.beginTurn();
    expect(turn.holdLease(() => released.push("a"))).toBe(true);
    expect(turn.holdLease(() => released.push("b"))).toBe(true);
    expect(released).toEqual(["a"]);
    runtime.stopTurn();
    expect(turn.holdLease(() => released.push("c"))).toBe(false);
    expect(released).toEqual(["a", "b", "c"]);
    expect(turn.end()).toBe(false);
    expect(released).toEqual(["a", "b", "c"]);
  });

  it("GWS-08 a lease that cannot be given back does not hold the turn, and is not given back twice", () => {
    const runtime = begin();
    const turn = runtime.beginTurn();
    let calls = 0;
    turn.holdLease(() => {
      calls += 1;
      throw new Error("lease lost");
    });
    expect(() => turn.end()).toThrow("lease lost");
    expect(runtime.turn).toBeUndefined();
    turn.end();
    expect(calls).toBe(1);
  });
});

describe("approvals", () => {
  const gone: unknown = expect.objectContaining({ code: "STATE_E_APPROVAL_GONE" });

  it("GWS-08 an approval given before a new conversation is not applied after it", () => {
    const runtime = begin();
    runtime.approvals.ask("rm", "delete the folder").grant("conversation");
    runtime.approvals.ask("push", "push the branch").grant();
    runtime.approvals.ask("mail", "send the mail");
    expect(runtime.approvals.take("rm")).toBe(true);
    expect(runtime.beginConversation()).toEqual(["mail", "rm", "push"]);
    expect(runtime.approvals.take("rm")).toBe(false);
    expect(runtime.approvals.take("push")).toBe(false);
    expect(runtime.approvals.pending()).toEqual([]);
  });

  it("GWS-08 an answer that comes after the boundary answers nothing, not even the same question asked anew", () => {
    const runtime = begin();
    const old = runtime.approvals.ask("rm", "delete the folder");
    runtime.beginConversation();
    expect(() => old.grant()).toThrow(gone);
    const anew = runtime.approvals.ask("rm", "delete another folder");
    expect(() => old.grant("conversation")).toThrow(gone);
    expect(() => old.deny()).toThrow(gone);
    expect(runtime.approvals.take("rm")).toBe(false);
    anew.grant();
    expect(runtime.approvals.take("rm")).toBe(true);
  });

  it("GWS-08 a grant for once is used up, one for the conversation is not, and a denial takes it back", () => {
    const { approvals } = begin();
    const ticket = approvals.ask("a", "once");
    expect(approvals.pending()).toEqual([ticket]);
    ticket.grant();
    expect(() => ticket.grant()).toThrow(gone);
    expect([approvals.take("a"), approvals.take("a")]).toEqual([true, false]);
    approvals.ask("b", "always").grant("conversation");
    expect([approvals.take("b"), approvals.take("b")]).toEqual([true, true]);
    approvals.ask("b", "always").deny();
    expect(approvals.take("b")).toBe(false);
    expect(approvals.isEmpty).toBe(true);
  });

  it("GWS-08 approvals outlive turns", () => {
    const runtime = begin();
    const turn = runtime.beginTurn();
    runtime.approvals.ask("a", "once").grant();
    turn.end();
    runtime.beginTurn();
    expect(runtime.approvals.take("a")).toBe(true);
  });
});

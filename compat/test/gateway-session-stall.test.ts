import { describe, expect, it } from "vitest";
import {
  formatSessionStallNotification,
  resolveSessionIdleSecondsFromActivity,
  shouldClearSessionStallNotification,
  shouldEmitSessionStallNotification,
} from "../src/gateway/session-stall/index.js";

const STALLED = { timeoutSeconds: 60, idleSeconds: 60, hasPendingInbound: true };

describe("the notice of a session that does not move", () => {
  it("CPT-03 is given when a message waits in a session that is silent for too long, once", () => {
    expect(shouldEmitSessionStallNotification(STALLED)).toBe(true);
    expect(shouldEmitSessionStallNotification({ ...STALLED, alreadyNotified: true })).toBe(false);
    expect(() => shouldEmitSessionStallNotification({ ...STALLED, timeout: 5 } as never)).toThrow(TypeError);
  });

  it.each([
    { idleSeconds: 59.9 },
    { idleSeconds: null },
    { idleSeconds: NaN },
    { timeoutSeconds: 0 },
    { timeoutSeconds: -1 },
    { timeoutSeconds: null },
    { hasPendingInbound: false },
  ])("CPT-03 is neither given nor kept with %j", (change) => {
    expect(shouldEmitSessionStallNotification({ ...STALLED, ...change })).toBe(false);
    expect(shouldClearSessionStallNotification({ ...STALLED, ...change })).toBe(true);
  });

  it("CPT-03 is kept while the stall goes on", () => {
    expect(shouldClearSessionStallNotification(STALLED)).toBe(false);
    expect(shouldClearSessionStallNotification()).toBe(true);
  });

  it.each([
    [59.9, "59 s"],
    [60, "1 min"],
    [3600 + 65, "1 h 1 min"],
  ])("CPT-03 says for how long: %d seconds", (seconds, words) => {
    expect(formatSessionStallNotification(seconds)).toContain(` ${words};`);
    expect(() => formatSessionStallNotification(-1)).toThrow(RangeError);
  });
});

describe("how long an agent has been silent", () => {
  it.each([
    [{ secondsSinceActivity: 5 }, 5],
    [{ seconds_since_activity: -5 }, 0],
    [{ lastActivityAtSeconds: 70 }, 30],
    [{ last_activity_ts: 170 }, 0],
    [{ last_activity_ts: "70" }, null],
    [{ secondsSinceActivity: NaN }, null],
    [{}, null],
    [null, null],
    [[70], null],
  ])("CPT-03 is read from %j", (activity, idle) => {
    expect(resolveSessionIdleSecondsFromActivity(activity, 100)).toBe(idle);
    expect(resolveSessionIdleSecondsFromActivity(activity, { now: 100 })).toBe(idle);
  });
});

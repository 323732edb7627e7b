import { describe, expect, it } from "vitest";
import { backgroundActive } from "./background-active.js";
import { finalizeExpiry, isFinalizable } from "./expiry.js";
import { DEFAULT_RESET_POLICY } from "./reset-policy.js";
import type { ResetPolicy } from "./reset-policy.js";
import { resetReason } from "./reset-reason.js";
import type { ResetQuestion, ResetState } from "./reset-reason.js";

const zone = "Europe/Berlin";
const at = (iso: string): number => Date.parse(iso) / 1000;
const LAST = at("2026-06-15T12:00:00Z");
const policyOf = (change: Partial<ResetPolicy>): ResetPolicy => ({ ...DEFAULT_RESET_POLICY, ...change });
const state = (change: Partial<ResetState> = {}): ResetState => ({
  updatedAtSeconds: LAST,
  suspended: false,
  resumePending: false,
  lastResumeMarkedAtSeconds: null,
  ...change,
});
const ask = (now: number, policy: Partial<ResetPolicy>, change: Partial<ResetState> = {}): ResetQuestion => ({
  entry: state(change),
  policy: policyOf(policy),
  now,
  zone,
});

describe("idle", () => {
  it.each([
    ["a second before its deadline", -1, null],
    ["exactly at its deadline", 0, null],
    ["a millisecond after its deadline", 0.001, "idle"],
    ["a second after its deadline", 1, "idle"],
  ])("GWS-03 %s a conversation is judged right", (_, after, reason) => {
    expect(resetReason(ask(LAST + 1440 * 60 + after, { mode: "idle" }))).toBe(reason);
    expect(resetReason(ask(LAST + 90 + after, { mode: "idle", idleMinutes: 1.5 }))).toBe(reason);
  });

  it("GWS-03 a clock that was set back ends nothing", () => {
    expect(resetReason(ask(LAST - 1e6, { mode: "both" }))).toBeNull();
  });
});

describe("daily", () => {
  const boundary = at("2026-06-16T02:00:00Z"); // 04:00 in Berlin

  it.each([
    ["a minute before the hour", boundary - 60, LAST, null],
    ["at the hour", boundary, LAST, "daily"],
    ["a second after the hour", boundary + 1, LAST, "daily"],
    ["after the hour, talked to at the hour", boundary + 3600, boundary, null],
    ["after the hour, talked to a second before", boundary + 3600, boundary - 1, "daily"],
    ["a day later, talked to after the hour", boundary + 86_399, boundary + 1, null],
  ])("GWS-03 %s a conversation is judged right", (_, now, updatedAtSeconds, reason) => {
    expect(resetReason(ask(now, { mode: "daily" }, { updatedAtSeconds }))).toBe(reason);
  });

  it("GWS-03 the day is that of the zone, not of the machine", () => {
    const question = ask(at("2026-06-15T20:00:00Z"), { mode: "daily" });
    expect(resetReason(question)).toBeNull();
    expect(resetReason({ ...question, zone: "Asia/Tokyo" })).toBe("daily");
  });

  it("GWS-03 on the day the clocks go forward over the hour it ends once, at the end of the gap", () => {
    const night = { updatedAtSeconds: at("2026-03-29T00:30:00Z") };
    const policy = { mode: "daily", atHour: 2 } as const;
    expect(resetReason(ask(at("2026-03-29T00:59:59Z"), policy, night))).toBeNull();
    expect(resetReason(ask(at("2026-03-29T01:00:00Z"), policy, night))).toBe("daily");
    expect(
      resetReason(ask(at("2026-03-29T22:00:00Z"), policy, { updatedAtSeconds: at("2026-03-29T01:00:00Z") })),
    ).toBeNull();
  });

  it("GWS-03 on the day the clocks go back over the hour it ends once, not at the second showing", () => {
    const policy = { mode: "daily", atHour: 2 } as const;
    const between = { updatedAtSeconds: at("2026-10-25T00:30:00Z") };
    expect(resetReason(ask(at("2026-10-25T00:29:59Z"), policy))).toBe("daily");
    expect(resetReason(ask(at("2026-10-25T01:00:01Z"), policy, between))).toBeNull();
    expect(resetReason(ask(at("2026-10-25T20:00:00Z"), policy, between))).toBeNull();
  });
});

it("GWS-03 mode none never ends a conversation, however old; mode both ends it by either", () => {
  expect(resetReason(ask(LAST + 1e9, {}))).toBeNull();
  expect(resetReason(ask(LAST + 1e9, {}, { resumePending: true }))).toBeNull();
  const night = at("2026-06-16T02:00:01Z");
  expect(resetReason(ask(night, { mode: "both" }))).toBe("daily");
  expect(resetReason(ask(LAST + 3601, { mode: "both", idleMinutes: 60 }))).toBe("idle");
  expect(resetReason(ask(night, { mode: "idle" }))).toBeNull();
  expect(resetReason(ask(LAST + 1440 * 60 + 1, { mode: "both" }))).toBe("idle");
});

it("GWS-03 a suspended conversation starts over in every mode, work in the background or not", () => {
  for (const mode of ["none", "idle", "daily", "both"] as const) {
    const question = ask(LAST, { mode }, { suspended: true, resumePending: true });
    expect(resetReason({ ...question, backgroundActive: true })).toBe("suspended");
  }
});

describe("a turn to be taken up", () => {
  const pending = { resumePending: true, lastResumeMarkedAtSeconds: LAST + 100 };

  it.each([
    ["exactly at the end of its window", 3700, null],
    ["a second after it", 3701, "resume_pending_expired"],
  ])("GWS-03 %s is judged right", (_, after, reason) => {
    expect(resetReason(ask(LAST + after, { mode: "idle" }, pending))).toBe(reason);
  });

  it("GWS-03 without a mark the window begins at the last activity", () => {
    const unmarked = { resumePending: true, lastResumeMarkedAtSeconds: null };
    expect(resetReason(ask(LAST + 3600, { mode: "idle" }, unmarked))).toBeNull();
    expect(resetReason(ask(LAST + 3601, { mode: "idle" }, unmarked))).toBe("resume_pending_expired");
  });

  it("GWS-03 the policy is asked before the window", () => {
    expect(resetReason(ask(LAST + 3701, { mode: "idle", idleMinutes: 60 }, pending))).toBe("idle");
  });

  it.each([0, -1])("GWS-03 a window of %i s never ends", (resumeFreshnessSeconds) => {
    expect(resetReason(ask(LAST + 80_000, { mode: "idle", resumeFreshnessSeconds }, pending))).toBeNull();
  });

  it("GWS-03 where nothing is pending the window means nothing", () => {
    const stale = { resumePending: false, lastResumeMarkedAtSeconds: LAST - 1e6 };
    expect(resetReason(ask(LAST + 1, { mode: "idle" }, stale))).toBeNull();
  });
});

describe("work in the background", () => {
  const now = LAST + 1e6;
  const policy = policyOf({ mode: "both" });

  it("GWS-03 keeps a conversation from ending by time, pending turn or not", () => {
    const question = { ...ask(now, { mode: "both" }, { resumePending: true }), backgroundActive: true };
    expect(resetReason(question)).toBeNull();
    expect(resetReason({ ...question, policy: policyOf({ mode: "idle", idleMinutes: 1e6 }) })).toBeNull();
    expect(resetReason({ ...question, backgroundActive: false })).toBe("idle");
  });

  it("GWS-03 is asked for by routing key and counts for at most a day", async () => {
    const asked: string[] = [];
    const since =
      (...starts: number[]) =>
      (key: string): readonly number[] => {
        asked.push(key);
        return starts;
      };
    const day = 24 * 3600;
    expect(await backgroundActive(since(now - day), "agent:main:x:dm:1", policy, now)).toBe(true);
    expect(await backgroundActive(since(now - day - 1), "agent:main:x:dm:1", policy, now)).toBe(false);
    expect(await backgroundActive(since(now - 2 * day, now - 5), "agent:main:x:dm:1", policy, now)).toBe(true);
    expect(await backgroundActive(since(), "agent:main:x:dm:1", policy, now)).toBe(false);
    expect(await backgroundActive(undefined, "agent:main:x:dm:1", policy, now)).toBe(false);
    expect(asked).toEqual(Array(4).fill("agent:main:x:dm:1"));
    const short = policyOf({ mode: "both", backgroundMaxAgeHours: 0 });
    expect(await backgroundActive(since(now - 1), "k", short, now)).toBe(false);
  });

  it("GWS-03 counts as active when it cannot be told", async () => {
    const errors: unknown[] = [];
    const probes = [
      () => {
        throw new Error("gone");
      },
      async () => Promise.reject(new Error("gone")),
      () => undefined as never,
      () => true as never,
      () => [Number.NaN],
    ];
    for (const probe of probes) {
      expect(await backgroundActive(probe, "k", policy, now, (error) => errors.push(error))).toBe(true);
    }
    expect(errors).toHaveLength(4);
  });
});

describe("expiry", () => {
  const entry = { ...state(), sessionId: "20260615_120000_00000001", expiryFinalized: false };
  const question = { entry, policy: policyOf({ mode: "idle" }), now: LAST + 1440 * 60 + 1, zone };

  it("GWS-03 only a policy that ends conversations by time makes them finalizable", () => {
    expect(isFinalizable(policyOf({ mode: "none" }))).toBe(false);
    for (const mode of ["idle", "daily", "both"] as const) expect(isFinalizable(policyOf({ mode }))).toBe(true);
    expect(isFinalizable(() => policyOf({ mode: "daily" }))).toBe(true);
    const unreadable = (): ResetPolicy => {
      throw new Error("configuration unreadable");
    };
    expect(isFinalizable(unreadable)).toBe(false);
  });

  it("P18 GWS-03 an expired conversation is ended for good and loses its model, once", () => {
    expect(finalizeExpiry(question)).toEqual({
      why: "idle",
      leave: { sessionId: entry.sessionId, reason: "session_reset" },
      change: { expiryFinalized: true, modelOverride: null },
    });
    expect(finalizeExpiry({ ...question, entry: { ...entry, expiryFinalized: true } })).toBeNull();
  });

  it("GWS-03 at its deadline, with work in the background, or without a policy nothing expires", () => {
    expect(finalizeExpiry({ ...question, now: question.now - 1 })).toBeNull();
    expect(finalizeExpiry({ ...question, backgroundActive: true })).toBeNull();
    expect(finalizeExpiry({ ...question, policy: policyOf({ mode: "none" }) })).toBeNull();
    expect(finalizeExpiry({ ...question, now: LAST, entry: { ...entry, suspended: true } })).toBeNull();
  });
});

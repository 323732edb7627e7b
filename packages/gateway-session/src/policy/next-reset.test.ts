import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { nextReset } from "./next-reset.js";
import { DEFAULT_RESET_POLICY } from "./reset-policy.js";
import type { ResetMode } from "./reset-policy.js";
import { resetReason } from "./reset-reason.js";
import type { ResetQuestion } from "./reset-reason.js";

const LAST = Date.parse("2026-06-15T12:00:00Z") / 1000;

function ask(mode: ResetMode, change: Partial<ResetQuestion["entry"]> = {}, now = LAST + 60): ResetQuestion {
  const entry = { updatedAtSeconds: LAST, suspended: false, resumePending: false, lastResumeMarkedAtSeconds: null };
  return { entry: { ...entry, ...change }, policy: { ...DEFAULT_RESET_POLICY, mode }, now, zone: "Europe/Berlin" };
}

it("GWS-09 says when a conversation will start over and why", () => {
  const night = Date.parse("2026-06-16T02:00:00Z") / 1000;
  const later = { due: false, keptByBackground: false };
  expect(nextReset(ask("none"))).toBeNull();
  expect(nextReset(ask("idle"))).toEqual({ reason: "idle", atSeconds: LAST + 86_400, ...later });
  expect(nextReset(ask("daily"))).toEqual({ reason: "daily", atSeconds: night, ...later });
  expect(nextReset(ask("both"))).toEqual({ reason: "daily", atSeconds: night, ...later });
  const pending = { resumePending: true, lastResumeMarkedAtSeconds: LAST + 10 };
  const reason = "resume_pending_expired";
  expect(nextReset(ask("daily", pending))).toEqual({ reason, atSeconds: LAST + 3610, ...later });
});

it("GWS-09 says that a reset is due, and that work in the background keeps it", () => {
  const due = { due: true, keptByBackground: false };
  expect(nextReset(ask("none", { suspended: true }))).toEqual({ reason: "suspended", atSeconds: LAST + 60, ...due });
  const late = ask("both", {}, LAST + 90_000);
  expect(nextReset(late)).toEqual({ reason: "idle", atSeconds: LAST + 86_400, ...due });
  expect(nextReset({ ...late, backgroundActive: true })).toMatchObject({ due: true, keptByBackground: true });
});

it("GWS-09 what it foretells is what happens, and nothing happens before", () => {
  const seed = seedFor("the next reset comes true");
  const moment = fc.integer({ min: Date.UTC(2024, 0) / 1000, max: Date.UTC(2027, 0) / 1000 });
  const questions = fc.record({
    mode: fc.constantFrom<ResetMode[]>("none", "idle", "daily", "both"),
    zone: fc.constantFrom("UTC", "Europe/Berlin", "America/Nuuk", "Australia/Lord_Howe"),
    atHour: fc.integer({ min: 0, max: 23 }),
    idleMinutes: fc.integer({ min: 1, max: 3000 }),
    resumeFreshnessSeconds: fc.integer({ min: -1, max: 10_000 }),
    updatedAtSeconds: moment,
    restSeconds: fc.integer({ min: 0, max: 4 * 86_400 }),
    resumePending: fc.boolean(),
  });
  fc.assert(
    fc.property(questions, (given) => {
      const { zone, updatedAtSeconds, restSeconds, resumePending } = given;
      const { mode, atHour, idleMinutes, resumeFreshnessSeconds } = given;
      const policy = { ...DEFAULT_RESET_POLICY, mode, atHour, idleMinutes, resumeFreshnessSeconds };
      const entry = { updatedAtSeconds, suspended: false, resumePending, lastResumeMarkedAtSeconds: updatedAtSeconds };
      const now = updatedAtSeconds + restSeconds;
      const question = { entry, policy, now, zone };
      const next = nextReset(question);
      if (next === null) {
        expect(resetReason({ ...question, now: now + 1e8 })).toBeNull();
      } else if (next.due) {
        expect(resetReason(question)).toBe(next.reason);
        expect(next.atSeconds).toBeLessThanOrEqual(now);
      } else {
        expect(resetReason({ ...question, now: next.atSeconds - 1 })).toBeNull();
        expect(resetReason({ ...question, now: next.atSeconds + 1 })).not.toBeNull();
        if (next.reason !== "daily") expect(resetReason({ ...question, now: next.atSeconds })).toBeNull();
      }
    }),
    { seed, numRuns: 400 },
  );
});

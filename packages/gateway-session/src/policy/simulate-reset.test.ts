import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ResetPolicy } from "./reset-policy.js";
import { simulateReset } from "./simulate-reset.js";
import type { SimulatedEvent } from "./simulated-event.js";

const START = Date.parse("2026-06-15T12:00:00Z") / 1000;
const HOUR = 3600;
const IDLE = { mode: "idle", idleMinutes: 60 } as const;

type Told = readonly [afterSeconds: number, kind: string, more?: object];

function play(policy: Partial<ResetPolicy>, told: readonly Told[]): string[] {
  const events = told.map(([after, kind, more]) => ({ atSeconds: START + after, kind, ...more }) as SimulatedEvent);
  const steps = simulateReset(policy, events, { startSeconds: START, zone: "Europe/Berlin" });
  return steps.map((step) => [step.outcome, step.reason, step.conversation].filter((word) => word !== null).join(" "));
}

it("GWS-09 a resting conversation starts over with the first message after its deadline", () => {
  expect(
    play(IDLE, [
      [HOUR, "message"],
      [2 * HOUR, "message"],
      [3 * HOUR + 1, "message"],
      [3 * HOUR + 2, "message"],
    ]),
  ).toEqual(["goes_on 1", "goes_on 1", "starts_over idle 2", "goes_on 2"]);
});

it("GWS-03 GWS-09 neither a lookup nor an event of the gateway keeps a conversation, and a lookup ends none", () => {
  expect(
    play(IDLE, [
      [HOUR - 1, "lookup"],
      [HOUR, "internal"],
      [HOUR + 1, "lookup"],
      [HOUR + 2, "lookup"],
      [HOUR + 3, "message"],
    ]),
  ).toEqual(["would_go_on 1", "goes_on 1", "would_start_over idle 1", "would_start_over idle 1", "starts_over idle 2"]);
  expect(play(IDLE, [[HOUR + 1, "internal"]])).toEqual(["starts_over idle 2"]);
});

it("GWS-09 a day ends in the zone of the gateway", () => {
  expect(
    play({ mode: "daily" }, [
      [14 * HOUR - 1, "message"],
      [14 * HOUR, "message"],
      [37 * HOUR, "message"],
      [38 * HOUR, "message"],
    ]),
  ).toEqual(["goes_on 1", "starts_over daily 2", "goes_on 2", "starts_over daily 3"]);
});

it("GWS-09 work in the background keeps a conversation until it ends or is a day old", () => {
  expect(
    play(IDLE, [
      [10, "work_begins", { id: "a" }],
      [20, "work_begins", { id: "b" }],
      [2 * HOUR, "work_ends", { id: "a" }],
      [3 * HOUR, "internal"],
      [4 * HOUR, "work_ends", { id: "b" }],
      [4 * HOUR, "work_ends", { id: "b" }],
      [4 * HOUR, "message"],
    ]),
  ).toEqual(["noted 1", "noted 1", "noted 1", "goes_on 1", "noted 1", "ignored 1", "starts_over idle 2"]);
  const endless: Told[] = [
    [0, "work_begins"],
    [24 * HOUR, "lookup"],
    [24 * HOUR + 1, "lookup"],
  ];
  expect(play(IDLE, endless)).toEqual(["noted 1", "would_go_on 1", "would_start_over idle 1"]);
});

it("GWS-06 GWS-09 a turn that a crash cut off waits to be taken up, for an hour", () => {
  const cut: Told[] = [
    [0, "turn_begins"],
    [60, "restart", { clean: false }],
  ];
  const daily = { mode: "daily" } as const;
  expect(play(daily, [...cut, [60 + HOUR, "message"]])).toEqual([
    "noted 1",
    "noted restart_interrupted 1",
    "goes_on 1",
  ]);
  expect(play(daily, [...cut, [61 + HOUR, "message"]]).at(-1)).toBe("starts_over resume_pending_expired 2");
  expect(play({}, [...cut, [61 + HOUR, "message"]]).at(-1)).toBe("goes_on 1");
  expect(play(daily, [...cut, [90, "turn_begins"], [99, "turn_ends"], [61 + HOUR, "message"]]).at(-1)).toBe(
    "goes_on 1",
  );
  const failed: Told = [99, "turn_ends", { ok: false }];
  expect(play(daily, [...cut, [90, "turn_begins"], failed, [61 + HOUR, "message"]]).at(-1)).toBe(
    "starts_over resume_pending_expired 2",
  );
});

it("GWS-06 GWS-09 a clean restart and a stale turn leave nothing to take up, three crashes in a row suspend", () => {
  const begin: Told = [0, "turn_begins"];
  expect(play(IDLE, [begin, [60, "restart", { clean: true }]])).toEqual(["noted 1", "noted 1"]);
  expect(play(IDLE, [[60, "restart", { clean: false }]])).toEqual(["ignored 1"]);
  expect(play({}, [begin, [HOUR + 1, "restart", { clean: false }]])).toEqual(["noted 1", "noted 1"]);
  const crash = (at: number): Told[] => [
    [at, "turn_begins"],
    [at + 1, "restart", { clean: false }],
  ];
  expect(play({}, [...crash(0), ...crash(10), ...crash(20), [30, "message"]]).slice(-2)).toEqual([
    "noted stuck_loop 1",
    "starts_over suspended 2",
  ]);
});

it("GWS-09 a suspended conversation starts over, and takes no mark to go on", () => {
  expect(
    play({}, [
      [1, "resume_mark"],
      [2, "resume_mark"],
      [3, "suspend"],
      [4, "suspend"],
      [5, "resume_mark"],
      [6, "lookup"],
      [7, "message"],
      [8, "message"],
    ]),
  ).toEqual([
    "noted resume_mark 1",
    "ignored 1",
    "noted suspended 1",
    "ignored 1",
    "ignored 1",
    "would_start_over suspended 1",
    "starts_over suspended 2",
    "goes_on 2",
  ]);
});

it("GWS-09 each step says what time would do from there", () => {
  const events = [{ kind: "message", atSeconds: START + 60 }] as const;
  const [step] = simulateReset(IDLE, events, { startSeconds: START, zone: "UTC" });
  const next = { reason: "idle", atSeconds: START + 60 + HOUR, due: false, keptByBackground: false };
  expect(step).toMatchObject({ updatedAtSeconds: START + 60, suspended: false, resumePending: false, next });
});

it("GWS-03 GWS-09 lookups anywhere in a timeline change nothing of what else comes of it", () => {
  const seed = seedFor("lookups change nothing");
  const kinds = [
    "message",
    "internal",
    "turn_begins",
    "turn_ends",
    "work_begins",
    "work_ends",
    "suspend",
    "resume_mark",
  ];
  const event = fc.record({ wait: fc.integer({ min: 0, max: 30_000 }), kind: fc.constantFrom(...kinds, "lookup") });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.constantFrom("idle", "daily", "both"), (waits, mode) => {
      let at = START;
      const events = waits.map(({ wait, kind }) => ({ atSeconds: (at += wait), kind }) as SimulatedEvent);
      const options = { startSeconds: START, zone: "America/New_York" };
      const policy = { mode: mode as ResetPolicy["mode"], idleMinutes: 300 };
      const all = simulateReset(policy, events, options);
      const silent = simulateReset(
        policy,
        events.filter(({ kind }) => kind !== "lookup"),
        options,
      );
      expect(all.filter(({ kind }) => kind !== "lookup")).toEqual(silent);
    }),
    { seed, numRuns: 100 },
  );
});

it("GWS-09 an unknown event, option, zone or moment is refused", () => {
  const options = { startSeconds: START, zone: "UTC" };
  const one = (event: object) => () => simulateReset({}, [event as SimulatedEvent], options);
  expect(one({ kind: "mesage", atSeconds: START })).toThrow(TypeError);
  expect(one({ kind: "toString", atSeconds: START })).toThrow(TypeError);
  expect(one({ kind: "message", atSeconds: START, clean: true })).toThrow(TypeError);
  expect(one({ kind: "restart", atSeconds: START })).toThrow(TypeError);
  expect(one({ kind: "message", atSeconds: "now" })).toThrow(
    expect.objectContaining({ code: "STATE_E_BAD_TIMESTAMP" }),
  );
  expect(() => simulateReset({}, [], { ...options, zones: "UTC" } as never)).toThrow(TypeError);
  expect(() => simulateReset({}, [], { ...options, zone: "Utopia" })).toThrow(
    expect.objectContaining({ code: "STATE_E_BAD_TIME_ZONE" }),
  );
  expect(() => simulateReset({ atHour: 25 }, [], options)).toThrow(
    expect.objectContaining({ code: "STATE_E_BAD_RESET_POLICY" }),
  );
});

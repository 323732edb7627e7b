import { seedFor, testRandom } from "@hermes/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { dailyBoundary, nextDailyBoundary } from "./daily-boundary.js";
import { checkTimeZone, wallClock } from "./wall-clock.js";

const HOUR = 3600;
const DAY = 24 * HOUR;
const at = (iso: string): number => Date.parse(iso) / 1000;
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The date that the clocks of a zone show, in the words of the machine and not through the code under test. */
function dateIn(zone: string): (seconds: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone });
  return (seconds) => format.format(seconds * 1000);
}

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Havana",
  "America/Nuuk",
  "Atlantic/Azores",
  "Asia/Kathmandu",
  "Asia/Beirut",
  "Asia/Amman",
  "Africa/Cairo",
  "Australia/Lord_Howe",
  "Australia/Eucla",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
];

it.each([
  ["Europe/Berlin", "2026-06-15T01:59:59Z", 4, "2026-06-14T02:00:00.000Z"],
  ["Europe/Berlin", "2026-06-15T02:00:00Z", 4, "2026-06-15T02:00:00.000Z"],
  ["Europe/Berlin", "2026-06-15T02:00:01Z", 4, "2026-06-15T02:00:00.000Z"],
  ["Asia/Kathmandu", "2026-01-01T00:00:00Z", 4, "2025-12-31T22:15:00.000Z"],
  ["Australia/Eucla", "2026-07-01T00:00:00Z", 0, "2026-06-30T15:15:00.000Z"],
  ["America/St_Johns", "2026-01-10T12:00:00Z", 4, "2026-01-10T07:30:00.000Z"],
  ["Pacific/Kiritimati", "2026-01-10T12:00:00Z", 23, "2026-01-10T09:00:00.000Z"],
])("GWS-03 in %s at %s the day of hour %i began at %s", (zone, now, atHour, boundary) => {
  expect(iso(dailyBoundary(at(now), atHour, zone))).toBe(boundary);
});

it.each([
  // The hour is skipped: the end of the gap stands for it.
  ["Europe/Berlin", "2026-03-29T12:00:00Z", 2, "2026-03-29T01:00:00.000Z", 23],
  ["America/Sao_Paulo", "2018-11-04T12:00:00Z", 0, "2018-11-04T03:00:00.000Z", 23],
  ["Africa/Cairo", "2026-04-24T12:00:00Z", 0, "2026-04-23T22:00:00.000Z", 23],
  // The last hour of the day is skipped: the day ends where the next one begins.
  ["America/Nuuk", "2024-03-31T05:00:00Z", 23, "2024-03-31T01:00:00.000Z", 23],
  // The hour is shown twice: the first time counts.
  ["Europe/Berlin", "2026-10-25T12:00:00Z", 2, "2026-10-25T00:00:00.000Z", 25],
  ["Europe/Berlin", "2026-10-25T01:30:00Z", 2, "2026-10-25T00:00:00.000Z", 25],
  ["America/Havana", "2026-11-01T12:00:00Z", 0, "2026-11-01T04:00:00.000Z", 25],
  // Clocks that go back over midnight show the day before once more, though the new one has begun.
  ["America/St_Johns", "2006-10-29T03:00:00Z", 0, "2006-10-29T02:30:00.000Z", 25],
  // Half an hour.
  ["Australia/Lord_Howe", "2026-10-04T03:00:00Z", 2, "2026-10-03T15:30:00.000Z", 23.5],
  ["Australia/Lord_Howe", "2026-04-05T03:00:00Z", 2, "2026-04-04T15:30:00.000Z", 24],
  // A day that never was has no boundary.
  ["Pacific/Apia", "2011-12-30T12:00:00Z", 4, "2011-12-29T14:00:00.000Z", 24],
])("GWS-03 in %s at %s the clocks change and the day of hour %i began at %s", (zone, now, atHour, boundary, hours) => {
  expect(iso(dailyBoundary(at(now), atHour, zone))).toBe(boundary);
  const next = nextDailyBoundary(at(now), atHour, zone);
  expect(dailyBoundary(next, atHour, zone)).toBe(next);
  expect((next - at(boundary)) / HOUR).toBe(hours);
});

it("GWS-03 every moment lies between a boundary at most 25 hours old and the next one", () => {
  const seed = seedFor("daily boundaries of any moment");
  const moment = fc.double({ min: at("1990-01-01"), max: at("2037-01-01"), noNaN: true });
  const zone = fc.constantFrom(...ZONES);
  fc.assert(
    fc.property(moment, zone, fc.integer({ min: 0, max: 23 }), (now, name, atHour) => {
      const boundary = dailyBoundary(now, atHour, name);
      const next = nextDailyBoundary(now, atHour, name);
      expect(boundary).toBeLessThanOrEqual(now);
      expect(now - boundary).toBeLessThan(25 * HOUR + 1);
      expect(next).toBeGreaterThan(now);
      expect(nextDailyBoundary(boundary, atHour, name)).toBe(next);
      expect(dailyBoundary(next, atHour, name)).toBe(next);
      expect(dailyBoundary(next - 1, atHour, name)).toBe(boundary);
    }),
    { seed, numRuns: 300 },
  );
});

it.each(ZONES)("GWS-03 every local day of %s has exactly one boundary", (zone) => {
  const random = testRandom(seedFor(`days of ${zone}`));
  const date = dateIn(zone);
  const year = random.pick([2006, 2011, 2018, 2024, 2026]);
  const atHour = random.pick([0, 1, 2, 3, 4, 22, 23]);
  const [start, end] = [at(`${String(year)}-01-01T00:00:00Z`), at(`${String(year)}-12-31T00:00:00Z`)];
  const days: string[] = [];
  for (let time = start; time < end; time = nextDailyBoundary(time, atHour, zone)) {
    const boundary = nextDailyBoundary(time, atHour, zone);
    // Where the last hour of a day is skipped, its boundary is the first moment of the next day.
    days.push(date(atHour === 23 ? boundary - HOUR : boundary));
  }
  const seen = new Set<string>();
  for (let time = start; time < end + DAY; time += HOUR) seen.add(date(time));
  const expected = [...seen].filter((day) => day >= (days[0] ?? "") && day <= (days.at(-1) ?? ""));
  expect(days).toEqual(expected.sort());
  expect(days.length).toBeGreaterThan(360);
});

it("GWS-03 a zone of two hours' summer time keeps its longest day whole", () => {
  const boundary = at("2026-10-24T22:00:00Z");
  expect(dailyBoundary(at("2026-10-25T23:59:59Z"), 0, "Antarctica/Troll")).toBe(boundary);
  expect(nextDailyBoundary(boundary, 0, "Antarctica/Troll") - boundary).toBe(26 * HOUR);
});

it("GWS-03 a moment that lies just at midnight or at the epoch has its boundary", () => {
  expect(dailyBoundary(0, 0, "UTC")).toBe(0);
  expect(dailyBoundary(0, 4, "UTC")).toBe(4 * HOUR - DAY);
  expect(nextDailyBoundary(0, 4, "UTC")).toBe(4 * HOUR);
});

it("GWS-03 an unknown zone and an absurd moment are refused by name", () => {
  expect(() => checkTimeZone("Europe/Atlantis")).toThrow(expect.objectContaining({ code: "STATE_E_BAD_TIME_ZONE" }));
  expect(() => dailyBoundary(0, 4, "Mars")).toThrow(expect.objectContaining({ facts: { zone: "Mars" } }));
  for (const now of [Number.NaN, Infinity, 1e14]) {
    expect(() => dailyBoundary(now, 4, "UTC")).toThrow(expect.objectContaining({ code: "STATE_E_BAD_TIMESTAMP" }));
  }
  expect(wallClock(0, "Europe/Berlin")).toBe(HOUR);
});

import { describePython, runPython } from "@hermes/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { localIso, parseIso, utcIso } from "./local-time.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Zones whose clocks change by an hour, half an hour, at midnight, by a whole day; and some that never do. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Europe/Dublin",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Africa/Casablanca",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];

const HALF_HOUR = 1800;
const at = (iso: string): number => Date.parse(iso) / 1000;
/** Half-hours around every change of these zones' clocks within a year, and the day that Apia skipped. */
const CHANGES = [
  "2018-03-25T01:00:00Z",
  "2018-10-28T01:00:00Z",
  "2018-03-11T07:00:00Z",
  "2018-11-04T06:00:00Z",
  "2018-11-04T04:30:00Z",
  "2018-11-04T03:00:00Z",
  "2018-02-18T02:00:00Z",
  "2018-03-24T22:00:00Z",
  "2018-10-27T21:00:00Z",
  "2018-03-31T15:00:00Z",
  "2018-10-06T15:30:00Z",
  "2018-05-13T02:00:00Z",
  "2018-06-17T02:00:00Z",
  "2011-12-30T10:00:00Z",
].map(at);
const MOMENTS = CHANGES.flatMap((change) =>
  Array.from({ length: 13 }, (_, step) => change + (step - 6) * HALF_HOUR + 0.000001 * step),
);
/** What clocks may show around the same changes, also what they skip or show twice. */
const SHOWN = CHANGES.flatMap((change) =>
  Array.from({ length: 57 }, (_, step) => utcIso(change + (step - 28) * HALF_HOUR).slice(0, 19)),
);

/** Both ways in the zone of a process. */
function both(zone?: string): { texts: string[]; moments: (number | undefined)[] } {
  return {
    texts: MOMENTS.map((seconds) => localIso(seconds, zone)),
    moments: SHOWN.map((text) => parseIso(text, zone)),
  };
}

describePython("a Python process", () => {
  const CODE = `
import os, time, datetime
answers = {}
for zone in args["zones"]:
    os.environ["TZ"] = zone
    time.tzset()
    answers[zone] = {
        "texts": [datetime.datetime.fromtimestamp(s).isoformat() for s in args["moments"]],
        "moments": [datetime.datetime.fromisoformat(t).timestamp() for t in args["shown"]],
        "utc": [datetime.datetime.fromisoformat(t).timestamp() for t in args["utc"]],
    }
answer(answers)`;

  it("GWS-02 writes the same text for a moment and reads the same moment from a text, in any zone", () => {
    type Answers = Record<string, { texts: string[]; moments: number[]; utc: number[] }>;
    const utc = MOMENTS.map((seconds) => utcIso(seconds));
    const peer = runPython<Answers>(CODE, { zones: ZONES, moments: MOMENTS, shown: SHOWN, utc });
    for (const zone of ZONES) {
      const { utc: exact, ...local } = peer[zone] ?? { utc: [], texts: [], moments: [] };
      expect({ zone, ...both(zone) }).toEqual({ zone, ...local });
      expect(utc.map((text) => parseIso(text, zone))).toEqual(exact);
    }
  });
});

describe("times without zone", () => {
  it.each(ZONES)("GWS-02 mean the clocks of the process: %s", (zone) => {
    vi.stubEnv("TZ", zone);
    expect(both()).toEqual(both(zone));
  });

  it("GWS-02 are read as the first of two moments that show the same", () => {
    expect(parseIso("2018-10-28T02:30:00", "Europe/Berlin")).toBe(at("2018-10-28T00:30:00Z"));
    expect(parseIso("2018-03-25T02:30:00", "Europe/Berlin")).toBe(at("2018-03-25T01:30:00Z"));
  });

  it.each([
    ["2026-05-28T20:26:40", 1_780_000_000],
    ["2026-05-28 20:26:40", 1_780_000_000],
    ["2026-05-28T20:26:40.5", 1_780_000_000.5],
    ["2026-05-28T20:26:40.123456789", 1_780_000_000.123456],
    ["2026-05-28T20:26", 1_779_999_960],
    ["2026-05-28", 1_779_926_400],
    ["2026-05-28T20:26:40Z", 1_780_000_000],
    ["2026-05-28T22:26:40+02:00", 1_780_000_000],
    ["2026-05-28T14:56:40-0530", 1_780_000_000],
    ["2026-05-28T20:26:70", undefined],
    ["2026-13-28T20:26:40", undefined],
    ["2026-00-28T20:26:40", undefined],
    ["2026-02-30", undefined],
    ["1780000000", undefined],
    ["", undefined],
    ["2026-05-28T20:26:40 Europe/Berlin", undefined],
  ])("GWS-02 %j is the moment %d in UTC", (text, seconds) => {
    expect(parseIso(text, "UTC")).toBe(seconds);
  });
});

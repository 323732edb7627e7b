import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestHost, type TestHost } from "../../test/test-host.js";
import { noteRebuildDeferral, readRebuildDeferral } from "./rebuild-deferral.js";

const START = 1_700_000_000;
const KEY = "fts_rebuild_deferral";

let host: TestHost;
beforeEach(() => {
  host = openTestHost(":memory:");
  host.db.exec("CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)");
});
afterEach(() => {
  host[Symbol.dispose]();
});

const note = (now: number, ...pids: number[]): void =>
  host.transaction("note", (w) => {
    noteRebuildDeferral(w, now, pids);
  });
const stored = (): unknown =>
  JSON.parse(host.get<{ value: string }>("SELECT value FROM state_meta WHERE key = ?", [KEY])?.value ?? "null");
const store = (value: unknown): void => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  host.db.prepare("INSERT OR REPLACE INTO state_meta VALUES (?, ?)").run(KEY, text);
};

it("SEA-11 writes the record of a put-off rebuild as the peer reads it", () => {
  expect(readRebuildDeferral(host, START)).toBeUndefined();
  note(START, 12, 7, 12);
  expect(stored()).toEqual({
    first_seen: START,
    last_seen: START,
    attempts: 1,
    holder_pids: [7, 12],
    holders_since: START,
    holders_attempts: 1,
    futile: false,
  });
});

it("SEA-11 counts how often and how long the same processes stand in the way, and begins anew with others", () => {
  note(START, 7);
  note(START + 60, 7);
  note(START + 180, 8, 7);
  note(START + 420, 7, 8);
  expect(readRebuildDeferral(host, START + 420)).toEqual({
    firstSeen: START,
    lastSeen: START + 420,
    attempts: 4,
    holderPids: [7, 8],
    holdersSince: START + 180,
    holdersAttempts: 2,
    futile: false,
  });
});

it("SEA-11 calls waiting futile after ten times by the same processes and half an hour", () => {
  for (let n = 0; n < 10; n++) note(START + n, 7);
  expect(readRebuildDeferral(host, START + 10)).toMatchObject({ holdersAttempts: 10, futile: false });
  note(START + 1_800, 7);
  expect(readRebuildDeferral(host, START + 1_800)).toMatchObject({ holdersAttempts: 11, futile: true });
  note(START + 1_801, 9);
  expect(readRebuildDeferral(host, START + 1_801)).toMatchObject({ attempts: 12, holdersAttempts: 1, futile: false });
});

it("SEA-11 starts over where the record does not parse, or speaks of a time to come", () => {
  const good = {
    first_seen: START,
    last_seen: START,
    attempts: 5,
    holder_pids: [7],
    holders_since: START,
    holders_attempts: 5,
    futile: false,
  };
  for (const bad of ["{", "null", "7", "[]", { ...good, attempts: "5" }, { ...good, last_seen: START + 100 }, {}]) {
    store(bad);
    expect(readRebuildDeferral(host, START + 10)).toBeUndefined();
    note(START + 10, 7);
    expect(stored()).toMatchObject({ attempts: 1, first_seen: START + 10 });
  }
  store(good);
  expect(readRebuildDeferral(host, START + 10)).toMatchObject({ attempts: 5 });
  store({ ...good, holder_pids: "7", futile: 1 });
  expect(readRebuildDeferral(host, START + 10)).toMatchObject({ holderPids: [], futile: false });
});

import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanModelOverride } from "./clean-model-override.js";
import { decodeEntry } from "./decode-entry.js";
import { encodeEntry } from "./encode-entry.js";
import { isReservedMetadataKey } from "./entry-metadata.js";
import { newEntry } from "./new-entry.js";
import type { RoutingEntry } from "./routing-entry.js";

const KEY = "agent:main:telegram:dm:5";
const ID = "20260301_100000_cccc02aa";
const NOW = 1_780_000_000.5;

/** An entry as a Python gateway stores it. */
const STORED = {
  session_key: KEY,
  session_id: ID,
  created_at: "2026-05-28T20:26:40.500000",
  updated_at: "2026-05-28T21:00:00",
  display_name: "Ada",
  platform: "telegram",
  chat_type: "group",
  metadata: { mood: "calm" },
  input_tokens: 1,
  output_tokens: 2,
  cache_read_tokens: 3,
  cache_write_tokens: 4,
  total_tokens: 10,
  last_prompt_tokens: 5,
  estimated_cost_usd: 0.25,
  cost_status: "estimated",
  expiry_finalized: false,
  suspended: false,
  resume_pending: true,
  resume_reason: "restart_interrupted",
  last_resume_marked_at: "2026-05-28T20:59:00+00:00",
  active_turn_token: "0123456789abcdef0123456789abcdef",
  active_turn_started_at: "2026-05-28T20:58:00.250000+00:00",
  is_fresh_reset: false,
  was_auto_reset: true,
  auto_reset_reason: "idle",
  reset_had_activity: true,
  prev_session_id: "20260301_090000_bbbb01aa",
  model_override: { model: "m", provider: "p", base_url: "http://localhost/v1" },
  origin: { platform: "telegram", chat_id: 5, chat_type: "group", user_id: "7" },
};

function read(json: unknown, key = KEY): RoutingEntry {
  const decoded = decodeEntry(key, json, 77, { zone: "UTC" });
  if ("skipped" in decoded) throw new Error(decoded.skipped);
  return decoded.entry;
}

describe("decodeEntry", () => {
  it("GWS-02 reads an entry of a Python gateway", () => {
    const { origin, modelOverride, ...entry } = read(STORED);
    expect(entry).toMatchObject({
      sessionKey: KEY,
      sessionId: ID,
      createdAtSeconds: 1_780_000_000.5,
      updatedAtSeconds: 1_780_002_000,
      displayName: "Ada",
      platform: "telegram",
      chatType: "group",
      metadata: { mood: "calm" },
      totalTokens: 10,
      estimatedCostUsd: 0.25,
      costStatus: "estimated",
      resumePending: true,
      lastResumeMarkedAtSeconds: 1_780_001_940,
      activeTurnToken: "0123456789abcdef0123456789abcdef",
      activeTurnStartedAtSeconds: 1_780_001_880.25,
      wasAutoReset: true,
      autoResetReason: "idle",
      previousSessionId: "20260301_090000_bbbb01aa",
      pending: {},
      history: [],
      restartFailures: 0,
      unknown: {},
    });
    expect(origin).toMatchObject({ platform: "telegram", chatId: "5", userId: "7" });
    expect(modelOverride).toEqual({ model: "m", provider: "p", baseUrl: "http://localhost/v1" });
  });

  it("GWS-02 writes back what a Python gateway stored", () => {
    const { exact_times: exact, ...json } = encodeEntry(read(STORED), { zone: "UTC" });
    const origin = { ...STORED.origin, chat_id: "5", chat_name: null, user_name: null, thread_id: null };
    expect(json).toEqual({ ...STORED, origin: { ...origin, chat_topic: null } });
    expect(exact).toEqual({
      created_at: [STORED.created_at, 1_780_000_000.5],
      updated_at: [STORED.updated_at, 1_780_002_000],
    });
  });

  it("GWS-02 has what a new entry has where nothing is stored", () => {
    const bare = read({ session_id: ID });
    const fresh = newEntry({ sessionKey: KEY, sessionId: ID, source: { platform: "x" }, nowSeconds: 77 });
    expect(bare).toEqual({ ...fresh, platform: null, origin: null });
  });

  it.each([
    ["no object", KEY, 5],
    ["no object", KEY, null],
    ["no object", KEY, undefined],
    ["no object", KEY, []],
    ["session id", KEY, {}],
    ["session id", KEY, { session_id: 5 }],
    ["session id", KEY, { session_id: "" }],
    ["session id", KEY, { session_id: "../x" }],
    ["session id", KEY, { session_id: "a/b" }],
    ["session id", KEY, { session_id: "C:x" }],
    ["key is", "../x", { session_id: ID }],
    ["key is", "/x", { session_id: ID }],
    ["key is", "", { session_id: ID }],
    ["key inside", KEY, { session_id: ID, session_key: "../x" }],
  ])("GWS-02 skips an entry with a bad %s: %j %j", (why, key, json) => {
    expect(decodeEntry(key, json, 77)).toEqual({ skipped: expect.stringContaining(why) as unknown });
  });

  it("GWS-02 keeps an entry whose other values are all wrong", () => {
    const wrong = Object.fromEntries(Object.keys(STORED).map((key) => [key, ["?"]]));
    const entry = read({ ...wrong, session_id: ID });
    expect(entry).toEqual(read({ session_id: ID }));
  });

  it.each([
    ["not a time", 77],
    ["2026-02-30T00:00:00", 77],
    ["2026-01-01T25:00:00", 77],
    [null, 77],
    [5, 5],
    ["1969-01-01T00:00:00", 0],
    ["0001-01-01T00:00:00", 0],
  ])("GWS-02 reads the time %j as the moment %d", (updated, seconds) => {
    expect(read({ session_id: ID, updated_at: updated }).updatedAtSeconds).toBe(seconds);
  });

  it("GWS-02 looks old when neither its time nor its save is known", () => {
    expect(decodeEntry(KEY, { session_id: ID })).toMatchObject({ entry: { updatedAtSeconds: 0, createdAtSeconds: 0 } });
  });

  it("GWS-02 names the entry by the key it is stored under", () => {
    const entry = read({ session_id: ID, session_key: "other" });
    expect(entry.sessionKey).toBe(KEY);
    expect(encodeEntry(entry)).toMatchObject({ session_key: KEY });
  });

  it.each([
    [{ memory_flushed: true }, true],
    [{ memory_flushed: true, expiry_finalized: false }, false],
    [{ expiry_finalized: true }, true],
    [{}, false],
  ])("GWS-02 reads %j as finalized %s and writes the new name", (json, finalized) => {
    const entry = read({ session_id: ID, ...json });
    expect(entry.expiryFinalized).toBe(finalized);
    const written = encodeEntry(entry);
    expect(written).toMatchObject({ expiry_finalized: finalized });
    expect(written).not.toHaveProperty("memory_flushed");
  });

  it.each([
    [{ active_turn_token: null }, null],
    [{ active_turn_token: 5 }, null],
    [{ active_turn_started_at: null }, null],
    [{ active_turn_started_at: "soon" }, null],
    [{}, "0123456789abcdef0123456789abcdef"],
  ])("GWS-06 reads a turn with %j as the token %s, and its time with it", (change, token) => {
    const entry = read({ ...STORED, ...change });
    expect(entry.activeTurnToken).toBe(token);
    expect(entry.activeTurnStartedAtSeconds).toBe(token === null ? null : 1_780_001_880.25);
  });

  it("GWS-06 writes a turn as a pair or not at all", () => {
    const half = { ...read(STORED), activeTurnStartedAtSeconds: null };
    expect(encodeEntry(half)).toMatchObject({ active_turn_token: null, active_turn_started_at: null });
  });

  it("GWS-02 keeps an entry of a platform that is not served, and its name in the file", () => {
    const decoded = decodeEntry(KEY, { ...STORED, platform: "martian" }, 77, { knownPlatforms: new Set(["telegram"]) });
    expect(decoded).toMatchObject({ entry: { platform: null, sessionId: ID } });
    if ("entry" in decoded) expect(encodeEntry(decoded.entry)).toMatchObject({ platform: "martian" });
    expect(read({ ...STORED, platform: 5 }).platform).toBeNull();
    expect(encodeEntry(read({ ...STORED, platform: 5 }))).toMatchObject({ platform: null });
  });

  it("GWS-02 writes keys that nobody knows back, and never over what is known", () => {
    const json = JSON.parse(`{"session_id":"${ID}","newer":{"a":[1]},"__proto__":{"polluted":true}}`) as object;
    const entry = read(json);
    expect(encodeEntry(entry)).toMatchObject({ newer: { a: [1] }, session_id: ID });
    expect(JSON.stringify(encodeEntry(entry))).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(encodeEntry({ ...entry, unknown: { session_id: "evil", newer: 1 } })).toMatchObject({ session_id: ID });
  });
});

describe("exact times", () => {
  const BERLIN = { zone: "Europe/Berlin" };
  // The second of the two half past twos of that night.
  const SECOND = Date.parse("2026-10-25T01:30:00Z") / 1000;
  const stored = encodeEntry({ ...read(STORED), updatedAtSeconds: SECOND }, BERLIN);
  const updated = (json: unknown, options = BERLIN): number | undefined => {
    const decoded = decodeEntry(KEY, json, 77, options);
    return "entry" in decoded ? decoded.entry.updatedAtSeconds : undefined;
  };

  it("GWS-02 tell the hour apart that the clocks show twice, in whatever zone they are read", () => {
    expect(stored["updated_at"]).toBe("2026-10-25T02:30:00");
    expect([updated(stored), updated(stored, { zone: "Asia/Tokyo" })]).toEqual([SECOND, SECOND]);
  });

  it("GWS-02 give way to a time that a peer wrote anew", () => {
    expect(updated({ ...stored, updated_at: "2026-10-25T12:00:00" })).toBe(Date.parse("2026-10-25T11:00:00Z") / 1000);
    expect(updated({ ...stored, exact_times: undefined })).toBe(SECOND - 3600);
  });

  it.each([
    [["2026-10-25T02:30:00", 5]],
    [["2026-10-25T02:30:00", "1793500000"]],
    [["2026-10-25T02:30:00", -1]],
    [["2026-10-25T02:30:00"]],
    [["2026-10-25T02:31:00", SECOND]],
    [SECOND],
    [null],
  ])("GWS-02 are not believed when they are %j", (pair) => {
    expect(updated({ ...stored, exact_times: { updated_at: pair } })).toBe(SECOND - 3600);
    expect(updated({ ...stored, exact_times: [pair] })).toBe(SECOND - 3600);
  });
});

describe("what an entry keeps inside its metadata", () => {
  const entry: RoutingEntry = {
    ...read(STORED),
    metadata: { mine: 1 },
    pending: { title: "Soup", hidden: true },
    history: [{ atSeconds: 5, what: "created", sessionId: "s1" }],
    restartFailures: 2,
  };

  it("GWS-11 is stored there and out of the host's sight", () => {
    const stored = encodeEntry(entry)["metadata"];
    expect(Object.keys(stored as object).filter((key) => !isReservedMetadataKey(key))).toEqual(["mine"]);
    expect(read(encodeEntry(entry))).toMatchObject({
      metadata: { mine: 1 },
      pending: { title: "Soup", hidden: true },
      history: [{ atSeconds: 5, what: "created", sessionId: "s1" }],
      restartFailures: 2,
    });
  });

  it("GWS-11 survives a peer that writes only the keys it knows", () => {
    const { exact_times: _dropped, ...rewritten } = encodeEntry(entry);
    expect(read(rewritten)).toMatchObject({ pending: { title: "Soup", hidden: true }, restartFailures: 2 });
  });

  it("GWS-11 cannot be forged by the host's own metadata", () => {
    const [reserved = ""] = Object.keys(encodeEntry(entry)["metadata"] as object).filter(isReservedMetadataKey);
    const forged = { ...newEntry({ sessionKey: KEY, sessionId: ID, source: { platform: "x" }, nowSeconds: 1 }) };
    expect(encodeEntry({ ...forged, metadata: { [reserved]: { title: "forged" } } })).toMatchObject({ metadata: {} });
  });

  it("GWS-09 keeps the last twenty steps", () => {
    const history = Array.from({ length: 30 }, (_, at) => ({ atSeconds: at, what: "reset", sessionId: `s${at}` }));
    expect(read(encodeEntry({ ...entry, history })).history).toEqual(history.slice(10));
  });

  it.each([[5], [{}], [[5, {}, { at: "x", what: "w", session_id: "s" }]], [null]])(
    "GWS-09 reads nothing from the broken history %j",
    (history) => {
      const metadata = { hermes_state_history: history, hermes_state_pending: 5, hermes_state_restart_failures: -1 };
      const broken = read({ session_id: ID, metadata });
      expect(broken).toMatchObject({ metadata: {}, history: [], pending: {}, restartFailures: 0 });
    },
  );
});

describe("a chosen model", () => {
  const SECRETS = { api_key: "sk-1", apiKey: "sk-2", token: "t", extra: { password: "p" } };

  it("GWS-02 carries no credentials when set, written or read", () => {
    const kept = { model: "m", provider: "p", baseUrl: "https://host/v1" };
    expect(cleanModelOverride({ ...kept, ...SECRETS })).toEqual(kept);
    const set = { ...read(STORED), modelOverride: { ...kept, ...SECRETS } };
    expect(encodeEntry(set)["model_override"]).toEqual({ model: "m", provider: "p", base_url: "https://host/v1" });
    const stored = { ...STORED, model_override: { ...STORED.model_override, ...SECRETS } };
    expect(JSON.stringify(read(stored))).not.toMatch(/sk-|password/);
  });

  it.each([
    ["https://ada:secret@host/v1", "https://host/v1"],
    ["https://token@host:8443/v1", "https://host:8443/v1"],
    ["//ada:secret@host", "//host"],
    ["https://host/v1?api-version=2024-02-01", "https://host/v1?api-version=2024-02-01"],
    ["https://host/v1?api_key=sk&api-version=1#frag", "https://host/v1?api-version=1"],
    ["https://host/v1?X-Amz-Signature=abc", "https://host/v1"],
    ["https://host/a@b", "https://host/a@b"],
    ["localhost:8000", "localhost:8000"],
  ])("GWS-02 keeps of the address %s only %s", (address, kept) => {
    expect(cleanModelOverride({ base_url: address })).toEqual({ baseUrl: kept });
  });

  it.each([undefined, null, 5, "gpt", [], {}, { model: 5 }, { api_key: "k" }, { model: "" }])(
    "GWS-02 is nothing when it is %j",
    (override) => {
      expect(cleanModelOverride(override)).toBeNull();
      expect(encodeEntry(read({ session_id: ID, model_override: override }))).not.toHaveProperty("model_override");
    },
  );
});

describe("an entry", () => {
  it("GWS-02 comes back as it was, in any zone and any moment", () => {
    const seed = seedFor("GWS-02 entries");
    const text = fc.string({ unit: "binary", minLength: 1 });
    const maybe = fc.option(text);
    const moment = fc.oneof(
      fc.double({ min: 0, max: 253_402_200_000, noNaN: true }),
      fc.integer({ min: 1_700_000_000_000_000, max: 1_800_000_000_000_000 }).map((micros) => micros / 1e6),
      // Where the clocks of Berlin go back, twice through the same hour.
      fc.integer({ min: 1_792_886_400, max: 1_792_893_600 }),
    );
    const amount = fc.nat();
    const json = fc.dictionary(text, fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)) as object);
    const start = newEntry({ sessionKey: KEY, sessionId: ID, source: { platform: "x" }, nowSeconds: 0 });
    const entry = fc
      .record({
        createdAtSeconds: moment.map(Math.abs),
        updatedAtSeconds: moment.map(Math.abs),
        displayName: maybe,
        platform: maybe,
        chatType: text,
        metadata: json,
        inputTokens: amount,
        lastPromptTokens: amount,
        estimatedCostUsd: fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs),
        suspended: fc.boolean(),
        resumePending: fc.boolean(),
        resumeReason: maybe,
        lastResumeMarkedAtSeconds: fc.option(moment.map(Math.abs)),
        turn: fc.option(fc.tuple(text, moment.map(Math.abs))),
        autoResetReason: maybe,
        previousSessionId: maybe,
        restartFailures: amount,
        pending: fc.record({ title: text, pinned: fc.boolean() }, { requiredKeys: [] }),
        unknown: json,
      })
      .map(({ turn, unknown, ...some }): RoutingEntry => {
        const [activeTurnToken, activeTurnStartedAtSeconds] = turn ?? [null, null];
        const strange = Object.fromEntries(Object.entries(unknown).map(([key, value]) => [`x_${key}`, value]));
        return {
          ...start,
          origin: null,
          ...(some as Partial<RoutingEntry>),
          activeTurnToken,
          activeTurnStartedAtSeconds,
          unknown: strange,
        };
      });
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu");
    fc.assert(
      fc.property(entry, zone, zone, (given, written, readIn) => {
        const stored = JSON.parse(JSON.stringify(encodeEntry(given, { zone: written }))) as unknown;
        expect(decodeEntry(KEY, stored, undefined, { zone: readIn })).toEqual({ entry: given });
      }),
      { seed, numRuns: 500 },
    );
  });

  it("GWS-02 is read from anything without an error, and what was written reads the same", () => {
    const seed = seedFor("GWS-02 any entry");
    const keys = fc.constantFrom(...Object.keys(STORED), "exact_times", "memory_flushed", "x", "__proto__");
    const sound = fc.constantFrom<unknown>(...Object.values(STORED));
    const json = fc.dictionary(keys, fc.oneof(fc.jsonValue(), sound), { noNullPrototype: true });
    const id = fc.oneof(fc.constant(ID), fc.jsonValue());
    fc.assert(
      fc.property(json, id, (members, sessionId) => {
        const given = JSON.parse(JSON.stringify({ ...members, session_id: sessionId })) as object;
        const decoded = decodeEntry(KEY, given, 77);
        if ("skipped" in decoded) return;
        const stored = JSON.parse(JSON.stringify(encodeEntry(decoded.entry))) as unknown;
        expect(decodeEntry(KEY, stored, 77)).toEqual(decoded);
      }),
      { seed, numRuns: 1000 },
    );
  });

  it("GWS-02 begins with nothing spent and nothing pending", () => {
    const source = { platform: "telegram", chatName: "", userName: "Ada" };
    expect(newEntry({ sessionKey: KEY, sessionId: ID, source, nowSeconds: NOW })).toMatchObject({
      displayName: "Ada",
      chatType: "dm",
      createdAtSeconds: NOW,
      updatedAtSeconds: NOW,
      totalTokens: 0,
      history: [],
    });
  });
});

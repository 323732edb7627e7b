import { isStateError } from "@hermes/state-core";
import { tempHome, testClock, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { SessionStore } from "../src/gateway/session-store/index.js";
import { SessionSource } from "../src/gateway/session/index.js";

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

const ANNA = new SessionSource({ platform: "telegram", chatId: "42", userName: "Anna" });
const KEY = "agent:main:telegram:dm:42";
const SAID = { role: "user", content: "said" };

interface Opened extends AsyncDisposable {
  readonly sessions: SessionStore;
  readonly methods: Methods;
  readonly sessionId: string;
}

/** A store in which a peer has said something; the same at every call. */
async function opened(): Promise<Opened> {
  const home = tempHome();
  const clock = testClock(1_800_000_000);
  const options = { path: home.statePath, clock, random: testRandom(3), zone: "UTC", touchDelayMs: 0 };
  const sessions = await SessionStore.open(options);
  const { sessionId } = await sessions.getOrCreateSession(ANNA);
  await sessions.appendToTranscript(sessionId, SAID);
  return {
    sessions,
    methods: sessions as unknown as Methods,
    sessionId,
    async [Symbol.asyncDispose]() {
      await sessions.close();
      home[Symbol.dispose]();
    },
  };
}

/** Methods with a parameter that may be left out: what stands before it, its name, a value, and one of a wrong type. */
const CALLS: readonly (readonly [
  method: string,
  before: (at: Opened) => readonly unknown[],
  name: string,
  value: unknown,
  wrong: unknown,
])[] = [
  ["setExpiryFinalized", (at) => [{ sessionKey: KEY, sessionId: at.sessionId }], "clearModelOverride", true, "yes"],
  ["getOrCreateSession", () => [ANNA], "forceNew", true, "yes"],
  ["updateSession", () => [KEY], "lastPromptTokens", 7, "7"],
  ["recoverInterruptedTurns", () => [], "maxAgeSeconds", 60, "60"],
  ["markResumePending", () => [KEY], "reason", "shutdown", 7],
  ["suspendRecentlyActive", () => [], "maxAgeSeconds", 60, "60"],
  ["resetSession", () => [KEY], "displayName", "Anna at home", 7],
  ["listSessions", () => [], "activeMinutes", 5, "5"],
  ["appendToTranscript", (at) => [at.sessionId, SAID], "skipDb", true, "yes"],
  ["rewriteTranscript", (at) => [at.sessionId, [SAID]], "activeOnly", true, "yes"],
  ["rewindSession", (at) => [at.sessionId], "n", 1, "1"],
];

async function state(at: Opened): Promise<unknown> {
  return [await at.sessions.listSessions(), await at.sessions.loadTranscript(at.sessionId)];
}

describe("the arguments of the old session store", () => {
  it.each(CALLS)("CPT-03 %s takes what may be left out by place and by name", async (method, before, name, value) => {
    await using byPlace = await opened();
    await using byName = await opened();
    const results = [
      await byPlace.methods[method]!(...before(byPlace), value),
      await byName.methods[method]!(...before(byName), { [name]: value }),
    ];
    expect(results[1]).toEqual(results[0]);
    expect(await state(byName)).toEqual(await state(byPlace));
  });

  it.each(CALLS)(
    "CPT-03 %s refuses another name and a wrong type, and does nothing",
    async (method, before, name, _, wrong) => {
      await using at = await opened();
      const untouched = await state(at);
      const misspelt = at.methods[method]!(...before(at), { misspelt: 1 });
      await expect(misspelt).rejects.toThrow(TypeError);
      await expect(misspelt).rejects.toThrow(/misspelt/);
      await expect(at.methods[method]!(...before(at), { [name]: wrong })).rejects.toThrow(TypeError);
      expect(await state(at)).toEqual(untouched);
    },
  );

  it("CPT-03 an unknown key and an unknown session have the old answers, and nothing is begun", async () => {
    await using at = await opened();
    const untouched = await state(at);
    const key = "agent:main:telegram:dm:nobody";
    const answers: readonly (readonly [string, readonly unknown[], unknown])[] = [
      ["setExpiryFinalized", [{ sessionKey: key, sessionId: "none" }], false],
      ["updateSession", [key, 7], false],
      ["getSessionMetadata", [key, "mood", "none"], "none"],
      ["getSessionMetadata", [KEY, "mood", { default: 1 }], 1],
      ["setSessionMetadata", [key, "mood", 1], false],
      ["setModelOverride", [key, { model: "m" }], false],
      ["getModelOverride", [key], null],
      ["suspendSession", [key], false],
      ["markTurnActive", [key], null],
      ["clearTurnActive", [key, "token"], false],
      ["markResumePending", [key], false],
      ["clearResumePending", [key], false],
      ["pruneOldEntries", [0], 0],
      ["pruneOldEntries", [-1], 0],
      ["resetSession", [key], null],
      ["advanceCompressionSession", [key, "a", "b"], null],
      ["switchSession", [key, at.sessionId], "STATE_E_SESSION_ROUTED"],
      ["lookupBySessionId", ["none"], null],
      ["peekSessionId", [key], null],
      ["hasPlatformMessageId", ["none", "pm"], false],
      ["loadTranscript", ["none"], []],
      ["rewindSession", ["none"], null],
    ];
    for (const [method, args, expected] of answers) {
      const answer = await at.methods[method]!(...args).catch((error: unknown) => {
        if (isStateError(error)) return error.code;
        throw error;
      });
      expect([method, answer]).toEqual([method, expected]);
    }
    expect(await state(at)).toEqual(untouched);
  });
});

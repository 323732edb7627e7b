import { afterEach, describe, expect, it, vi } from "vitest";
import { buildSessionKey as focusedKey } from "@hermes/gateway-session";
import {
  autoContinueFreshnessWindow,
  buildSessionContext,
  buildSessionKey,
  isSharedMultiUserSession,
  PERSISTABLE_MODEL_OVERRIDE_KEYS,
  SessionContext,
  SessionEntry,
  SessionSource,
} from "../src/gateway/session/index.js";

const GROUP = { platform: "telegram", chatType: "group", chatId: "-100", chatName: "Team", userId: "7" };

describe("the source of a message", () => {
  it("CPT-03 comes back from its stored form, and brings no trust from there", () => {
    const source = new SessionSource({ ...GROUP, threadId: "5", roleAuthorized: true });
    const stored = source.toDict();
    expect(stored).toMatchObject({ platform: "telegram", chat_id: "-100", thread_id: "5" });
    expect(stored).not.toHaveProperty("role_authorized");
    const read = SessionSource.fromDict({ ...stored, role_authorized: true, delivered_via_upstream_relay: true });
    expect(read).toBeInstanceOf(SessionSource);
    expect(read).not.toHaveProperty("roleAuthorized");
    expect(read.toDict()).toEqual(stored);
    expect(() => SessionSource.fromDict({ chat_id: "1" })).toThrow(TypeError);
    expect(() => new SessionSource({} as never)).toThrow(TypeError);
  });

  it.each([
    [{ platform: "local", chatId: "x" }, "CLI terminal"],
    [{ platform: "telegram", userName: "Ada" }, "DM with Ada"],
    [{ ...GROUP, threadId: "5" }, "group: Team, thread: 5"],
    [{ platform: "slack", chatType: "channel", chatId: "C1" }, "channel: C1"],
    [{ platform: "slack", chatType: "thread", chatId: "C1", threadId: "2" }, "C1, thread: 2"],
  ])("CPT-03 says in words where %j is", (fields, words) => {
    expect(new SessionSource(fields).description()).toBe(words);
  });
});

describe("the key of a session", () => {
  it("CPT-03 takes the old parameters in their order, and by name", () => {
    const source = new SessionSource(GROUP);
    expect(buildSessionKey(source)).toBe(focusedKey(GROUP));
    expect(buildSessionKey(source, false)).toBe(focusedKey(GROUP, { groupSessionsPerUser: false }));
    const threaded = { ...GROUP, threadId: "5" };
    const named = { groupSessionsPerUser: true, threadSessionsPerUser: true, profile: "work" };
    const expected = focusedKey({ ...threaded, profile: "work" }, { threadSessionsPerUser: true });
    expect(buildSessionKey(threaded, true, true, "work")).toBe(expected);
    expect(buildSessionKey(threaded, named)).toBe(expected);
    expect(expected).toContain("agent:work:");
    expect(() => buildSessionKey(source, "yes" as never)).toThrow(TypeError);
    expect(() => buildSessionKey(source, { profil: "work" } as never)).toThrow(TypeError);
  });

  it("CPT-03 tells whether several people share it", () => {
    expect(isSharedMultiUserSession(GROUP)).toBe(false);
    expect(isSharedMultiUserSession(GROUP, false)).toBe(true);
    expect(isSharedMultiUserSession({ ...GROUP, threadId: "5" })).toBe(true);
    expect(isSharedMultiUserSession({ ...GROUP, threadId: "5" }, { threadSessionsPerUser: true })).toBe(false);
    expect(isSharedMultiUserSession({ platform: "telegram", chatId: "1" }, false)).toBe(false);
  });
});

describe("an entry", () => {
  it("CPT-03 comes back from its stored form without credentials", () => {
    const entry = new SessionEntry({
      sessionKey: "agent:main:telegram:dm:1",
      sessionId: "s1",
      createdAtSeconds: 1_800_000_000,
      updatedAtSeconds: 1_800_000_060,
      platform: "telegram",
      modelOverride: { model: "m", apiKey: "sk-1" } as never,
    });
    const stored = entry.toDict();
    expect(JSON.stringify(stored)).not.toContain("sk-1");
    const read = SessionEntry.fromDict(stored);
    expect(read).toBeInstanceOf(SessionEntry);
    expect(read).toMatchObject({ sessionId: "s1", updatedAtSeconds: 1_800_000_060, modelOverride: { model: "m" } });
    expect(read.toDict()).toEqual(stored);
  });

  it("CPT-03 is refused when it would lead out of the folder of its sessions", () => {
    const stored = new SessionEntry({ sessionKey: "agent:main:telegram:dm:1", sessionId: "s1" }).toDict();
    expect(() => SessionEntry.fromDict({ ...stored, session_id: "../x" })).toThrow(TypeError);
    expect(() => SessionEntry.fromDict("s1")).toThrow(TypeError);
    expect(() => new SessionEntry({ sessionId: "s1" } as never)).toThrow(TypeError);
  });

  it("CPT-03 keeps of a chosen model what is no secret", () => {
    expect(PERSISTABLE_MODEL_OVERRIDE_KEYS).toEqual(["model", "provider", "baseUrl"]);
    expect(Object.isFrozen(PERSISTABLE_MODEL_OVERRIDE_KEYS)).toBe(true);
  });
});

describe("the context of a session", () => {
  it("CPT-03 is made of the message, the gateway and the route", () => {
    const entry = new SessionEntry({ sessionKey: "k", sessionId: "s1", createdAtSeconds: 0, updatedAtSeconds: 60 });
    const config = {
      groupSessionsPerUser: false,
      connectedPlatforms: ["telegram"],
      homeChannels: { telegram: { chat_id: "1" }, slack: { chat_id: "2" } },
    };
    const context = buildSessionContext(new SessionSource(GROUP), config, entry);
    expect(context).toBeInstanceOf(SessionContext);
    expect(context.toDict()).toMatchObject({
      source: { platform: "telegram", chat_id: "-100" },
      connected_platforms: ["telegram"],
      home_channels: { telegram: { chat_id: "1" } },
      shared_multi_user_session: true,
      session_key: "k",
      session_id: "s1",
      created_at: "1970-01-01T00:00:00.000Z",
      updated_at: "1970-01-01T00:01:00.000Z",
    });
    expect(context.homeChannels).not.toHaveProperty("slack");
    expect(buildSessionContext(GROUP).toDict()).toMatchObject({ session_id: "", created_at: null });
  });
});

describe("the window in which an interrupted turn goes on", () => {
  const NAME = "HERMES_AUTO_CONTINUE_FRESHNESS";
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["", 3600],
    ["90", 90],
    ["0", 0],
    ["soon", 3600],
  ])("CPT-03 is for the setting %j %i seconds", (set, seconds) => {
    vi.stubEnv(NAME, set);
    expect(autoContinueFreshnessWindow()).toBe(seconds);
  });
});

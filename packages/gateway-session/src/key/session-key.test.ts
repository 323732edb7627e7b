import { describe, expect, it } from "vitest";
import type { MessageSource, SharingPolicy } from "../source/message-source.js";
import { buildSessionKey } from "./build-session-key.js";
import { canonicalSessionKey } from "./canonical-session-key.js";
import { checkSessionId, checkSessionKey } from "./check-session-key.js";
import { isSharedConversation } from "./is-shared-conversation.js";
import { parseSessionKey } from "./parse-session-key.js";

const thrown = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    return error;
  }
};

describe("buildSessionKey", () => {
  it("P19 GWS-01 keeps the case of every id and profile", () => {
    const rooms = ["!AbC:srv", "!abc:srv"].map((chatId) => buildSessionKey({ platform: "matrix", chatId }));
    expect(rooms).toEqual(["agent:main:matrix:dm::!AbC%3Asrv", "agent:main:matrix:dm::!abc%3Asrv"]);
    const profiles = ["Work", "work", "MAIN"].map((profile) =>
      buildSessionKey({ platform: "x", chatId: "C", profile }),
    );
    expect(profiles).toEqual(["agent:Work:x:dm:C", "agent:work:x:dm:C", "agent:MAIN:x:dm:C"]);
  });

  it("P19 GWS-01 writes platform and chat type in lower case", () => {
    const key = buildSessionKey({ platform: "Telegram", chatType: "GROUP", chatId: "AbC" });
    expect(key).toBe("agent:main:telegram:group:AbC");
    expect(buildSessionKey({ platform: "TELEGRAM", chatType: "DM", chatId: "AbC" })).toBe("agent:main:telegram:dm:AbC");
  });

  it("GWS-01 tells profiles apart that look like the main namespace", () => {
    const of = (profile: string | null): string => buildSessionKey({ platform: "x", profile });
    expect([null, "", "default", "main", "main~", "main~~", "maine"].map(of)).toEqual([
      "agent:main:x:dm",
      "agent:main:x:dm",
      "agent:main:x:dm",
      "agent:main~:x:dm",
      "agent:main~~:x:dm",
      "agent:main~~~:x:dm",
      "agent:maine:x:dm",
    ]);
    expect(["main", "main~", "work"].map((profile) => parseSessionKey(of(profile)).profile)).toEqual([
      "main",
      "main~",
      "work",
    ]);
  });

  it("GWS-01 tells people apart whose direct messages have no chat id", () => {
    const of = (source: Partial<MessageSource>): string => buildSessionKey({ platform: "x", ...source });
    expect(of({ userId: "u1" })).not.toBe(of({ userId: "u2" }));
    expect(of({ userId: "u1", userIdAlt: "a1", threadId: "t" })).toBe("agent:main:x:dm:a1:t");
    expect(of({ chatId: "", userId: "" })).toBe("agent:main:x:dm");
  });

  it.each(["15551234567", "+15551234567", "15551234567@s.whatsapp.net", "15551234567:47@s.whatsapp.net"])(
    "GWS-01 gives the WhatsApp person %s one key, alone and in a group",
    (id) => {
      expect(buildSessionKey({ platform: "whatsapp", chatId: id })).toBe("agent:main:whatsapp:dm:15551234567");
      expect(buildSessionKey({ platform: "whatsapp", userId: id })).toBe("agent:main:whatsapp:dm:15551234567");
      expect(buildSessionKey({ platform: "whatsapp", chatType: "group", chatId: "1-2@g.us", userId: id })).toBe(
        "agent:main:whatsapp:group:1-2@g.us:15551234567",
      );
    },
  );

  it("GWS-01 takes the shortest number a WhatsApp bridge knows for a person", () => {
    const whatsappAliases = (number: string): string[] => [number, "15551234567@s.whatsapp.net"];
    const key = buildSessionKey({ platform: "whatsapp", chatId: "184467440737@lid" }, { whatsappAliases });
    expect(key).toBe("agent:main:whatsapp:dm:15551234567");
    expect(buildSessionKey({ platform: "whatsapp", chatId: "@lid" })).toBe("agent:main:whatsapp:dm:@lid");
  });

  it("GWS-01 a message that opens a thread and those inside it share a key", () => {
    const opens = { platform: "discord", chatType: "channel", chatId: "c", prospectiveThreadId: "t", userId: "u" };
    const inside = { platform: "discord", chatType: "thread", chatId: "c", threadId: "t", userId: "v" };
    expect(buildSessionKey(opens)).toBe(buildSessionKey(inside));
    expect(buildSessionKey({ ...opens, threadId: "real" })).toBe("agent:main:discord:channel:c:real");
    expect(buildSessionKey({ ...opens, chatType: "dm" })).toBe("agent:main:discord:dm:c");
  });

  it("GWS-01 refuses a source without a platform and ids that are no text", () => {
    expect(thrown(() => buildSessionKey({ platform: "" }))).toBeInstanceOf(TypeError);
    const chatId = { id: 5 } as unknown as string;
    expect(thrown(() => buildSessionKey({ platform: "x", chatId }))).toBeInstanceOf(TypeError);
    expect(buildSessionKey({ platform: "x", chatId: 5 as unknown as string })).toBe("agent:main:x:dm:5");
  });
});

describe("parseSessionKey", () => {
  it.each([
    "",
    "agent",
    "agent:main",
    "agent:main:telegram",
    "agents:main:telegram:dm:5",
    "tg:u1",
    "agent:main:telegram:dm:",
    "agent:main:telegram:dm::",
    "agent:main:telegram:dm::5",
    "agent:main:telegram:dm::-",
    "agent:main:telegram:dm::-:5",
    "agent:main:telegram:dm::a%3ab",
    "agent:main:telegram:dm::a%3A%41",
    "agent::-:telegram:dm:5",
    "agent:main:telegram:dm::a%3A:b:c:d",
    "agent:main::telegram:dm",
  ])("GWS-01 refuses %j", (key) => {
    const error = thrown(() => parseSessionKey(key));
    expect(error).toMatchObject({ code: "STATE_E_BAD_SESSION_KEY", facts: { key } });
  });

  it("GWS-01 reads the unescaped keys of older programs as far as they can be told", () => {
    expect(parseSessionKey("agent:main:matrix:group:!R:s")).toEqual({
      profile: null,
      platform: "matrix",
      chatType: "group",
      ids: ["!R", "s"],
    });
  });

  it.each([
    ["agent:main:telegram:group:c:t:u", { chatId: "c", threadId: "t", participantId: "u" }],
    ["agent:main:slack:group:T:c:t:u", { scopeId: "T", chatId: "c", threadId: "t", participantId: "u" }],
    ["agent:main:telegram:dm:c:t", { threadId: "t" }],
    ["agent:main:slack:dm:T:c:t", { scopeId: "T", threadId: "t" }],
    ["agent:main:slack:group:T:c:t", {}],
    ["agent:main:telegram:group:c:x", {}],
  ])("GWS-01 names in %s only what is certain", (key, roles) => {
    const { profile, platform, chatType, ids, ...named } = parseSessionKey(key);
    expect(named).toEqual(roles);
    expect([profile, platform, chatType, ...ids]).toEqual([null, ...key.split(":").slice(2)]);
  });
});

describe("canonicalSessionKey", () => {
  it.each([
    ["AGENT:main:Telegram:DM:AbC", "agent:main:telegram:dm:AbC"],
    ["agent:MAIN:x:dm:C", "agent:MAIN:x:dm:C"],
    ["Agent::a%3AB:Matrix:Group::!R%3AS", "agent::a%3AB:matrix:group::!R%3AS"],
    ["AGENT:main:Matrix:GROUP:!R:S", "agent:main:matrix:group:!R:S"],
    ["AGENT:main:X:DM", "agent:main:x:dm"],
    ["TG:U1", "TG:U1"],
    ["AGENT:main", "AGENT:main"],
    ["", ""],
  ])("P19 GWS-01 writes %j as %j", (key, canonical) => {
    expect(canonicalSessionKey(key)).toBe(canonical);
    expect(canonicalSessionKey(canonical)).toBe(canonical);
  });
});

describe("isSharedConversation", () => {
  it.each<[Partial<MessageSource>, SharingPolicy, boolean]>([
    [{}, { groupSessionsPerUser: false, threadSessionsPerUser: false }, false],
    [{ chatType: "group" }, {}, false],
    [{ chatType: "group" }, { groupSessionsPerUser: false }, true],
    [{ chatType: "group", threadId: "t" }, {}, true],
    [{ chatType: "group", threadId: "t" }, { threadSessionsPerUser: true }, false],
    [{ chatType: "channel", prospectiveThreadId: "t" }, {}, true],
    [{ chatType: "dm", threadId: "t" }, {}, false],
  ])("GWS-01 of %j with %j is %s", (source, policy, shared) => {
    expect(isSharedConversation({ platform: "x", chatId: "c", ...source }, policy)).toBe(shared);
  });
});

describe("names that become paths", () => {
  it.each<[unknown, ReturnType<typeof checkSessionKey>, ReturnType<typeof checkSessionId>]>([
    ["agent:main:telegram:dm:5", undefined, undefined],
    ["20260301_100000_cccc0201", undefined, undefined],
    ["agent:main:google_chat:group:spaces/x/threads/y", undefined, "separator"],
    ["a\\b", undefined, "separator"],
    ["/etc/passwd", "separator", "separator"],
    ["\\\\host\\share", "separator", "separator"],
    ["../x", "parent_folder", "parent_folder"],
    ["a/../b", "parent_folder", "parent_folder"],
    ["a..b", "parent_folder", "parent_folder"],
    ["C:\\x", "drive", "drive"],
    ["c:x", "drive", "drive"],
    ["", "empty", "empty"],
    [" ", "empty", "empty"],
    ["a\0b", "nul", "nul"],
    ["a\ud800", "half_character", "half_character"],
    [5, "not_text", "not_text"],
    [null, "not_text", "not_text"],
    [undefined, "not_text", "not_text"],
  ])("GWS-02 %j is refused as a key for %j and as an id for %j", (name, asKey, asId) => {
    expect(checkSessionKey(name)).toBe(asKey);
    expect(checkSessionId(name)).toBe(asId);
  });
});

import { describe, expect, it } from "vitest";
import type { MessageSource, SharingPolicy } from "../source/message-source.js";
import { buildSessionKey } from "./build-session-key.js";
import type { KeyPolicy } from "./key-policy.js";
import { legacyKeys } from "./legacy-keys.js";
import { provesSamePeer } from "./proves-same-peer.js";

const ROOM: MessageSource = { platform: "matrix", chatType: "group", chatId: "!R:s", userId: "@u:s" };
const SLACK: MessageSource = { platform: "slack", chatType: "channel", chatId: "C1", userId: "U1", scopeId: "T1" };
const SLACK_DM: MessageSource = { platform: "slack", chatType: "dm", chatId: "D1", userId: "U1", scopeId: "T1" };
const WHATSAPP: MessageSource = { platform: "whatsapp", chatType: "dm", chatId: "+1555:47@s.whatsapp.net" };
const TOGETHER: SharingPolicy = { groupSessionsPerUser: false };

describe("older spellings of a key", () => {
  it.each<[string, MessageSource, KeyPolicy, string[]]>([
    ["ids with the separator unescaped", ROOM, {}, ["agent:main:matrix:group:!R:s:@u:s"]],
    ["none where nothing changed", { platform: "telegram", chatId: "5" }, {}, []],
    ["Slack without its workspace", SLACK, TOGETHER, ["agent:main:slack:channel:C1"]],
    [
      "Slack unescaped with the workspace, then without it",
      { ...SLACK, chatId: "C:1" },
      TOGETHER,
      ["agent:main:slack:channel:T1:C:1", "agent:main:slack:channel:C:1"],
    ],
    [
      "a profile called main before it was told apart",
      { platform: "telegram", chatId: "5", profile: "main" },
      {},
      ["agent:main:telegram:dm:5"],
    ],
    [
      "a profile called main, unescaped in its own namespace first",
      { platform: "matrix", chatId: "!R:s", profile: "main" },
      {},
      ["agent:main~:matrix:dm:!R:s", "agent:main:matrix:dm:!R:s"],
    ],
    ["a WhatsApp person as the bridge spelt it", WHATSAPP, {}, ["agent:main:whatsapp:dm:+1555:47@s.whatsapp.net"]],
    [
      "a WhatsApp person under the other number that is known",
      { ...WHATSAPP, chatId: "999999@lid" },
      { whatsappAliases: () => ["1555"] },
      ["agent:main:whatsapp:dm:999999", "agent:main:whatsapp:dm:999999@lid"],
    ],
    [
      "a WhatsApp person of a group",
      { platform: "whatsapp", chatType: "group", chatId: "12-34@g.us", userId: "1555@lid" },
      {},
      ["agent:main:whatsapp:group:12-34@g.us:1555@lid"],
    ],
  ])("GWS-01 are %s", (_what, source, policy, keys) => {
    expect(legacyKeys(source, policy)).toEqual(keys);
    expect(keys).not.toContain(buildSessionKey(source, policy));
  });
});

describe("the proof that an older key was the same peer's", () => {
  it.each<[string, MessageSource, MessageSource]>([
    ["everything is the same", ROOM, ROOM],
    ["platform and chat type differ in case", { ...ROOM, platform: "Matrix", chatType: "GROUP" }, ROOM],
    ["names differ", { ...ROOM, userName: "Ada", chatName: "old" }, { ...ROOM, userName: "Ada L." }],
    ["the second id is the same though the first changed", who("+49", "uuid"), who("+50", "uuid")],
    ["the first id is the same and only one says the second", who("+49", null), who("+49", "uuid")],
    ["a Slack DM did not know its workspace", { ...SLACK_DM, scopeId: null }, SLACK_DM],
    ["a DM did not know its person", { ...SLACK_DM, userId: null }, SLACK_DM],
    ["a WhatsApp number came from another device", { ...WHATSAPP, chatId: "1555@s.whatsapp.net" }, WHATSAPP],
    ["a thread to come has come", thread({ chatType: "channel", prospectiveThreadId: "t" }), thread({ threadId: "t" })],
  ])("GWS-01 holds when %s", (_what, stored, source) => {
    expect(provesSamePeer(stored, source)).toBe(true);
  });

  it.each<[string, MessageSource | null | undefined, MessageSource]>([
    ["nothing is stored", null, ROOM],
    ["nothing was ever stored", undefined, ROOM],
    ["the stored one has no platform", { platform: "" }, ROOM],
    ["the platform differs", { ...ROOM, platform: "xmpp" }, ROOM],
    ["the chat type differs", { ...ROOM, chatType: "dm" }, ROOM],
    ["the chat differs in case only", { ...ROOM, chatId: "!r:s" }, ROOM],
    ["the chat is not stored", { ...ROOM, chatId: null }, ROOM],
    ["the thread differs", { ...ROOM, threadId: "$a" }, { ...ROOM, threadId: "$b" }],
    ["one has a thread", ROOM, { ...ROOM, threadId: "$b" }],
    ["the person differs", { ...ROOM, userId: "@v:s" }, ROOM],
    ["the person is not stored", { ...ROOM, userId: null }, ROOM],
    ["the second id differs though the first is the same", who("+49", "uuid-1"), who("+49", "uuid-2")],
    ["a Slack channel did not know its workspace", { ...SLACK, scopeId: null }, SLACK],
    ["the workspace differs", { ...SLACK, scopeId: "T2" }, SLACK],
    ["a Slack DM is another person's", { ...SLACK_DM, scopeId: null, userId: "U2" }, SLACK_DM],
    ["a DM without chat names nobody", { platform: "x", chatType: "dm" }, { platform: "x", userId: "u" }],
    ["the profile differs", { ...ROOM, profile: "work" }, ROOM],
    ["the main profile wrote it, not the one called main", ROOM, { ...ROOM, profile: "main" }],
  ])("GWS-04 fails when %s", (_what, stored, source) => {
    expect(provesSamePeer(stored, source)).toBe(false);
  });

  it("GWS-04 asks for the person only where persons are told apart", () => {
    const other = { ...ROOM, userId: "@v:s" };
    expect(provesSamePeer(other, ROOM, TOGETHER)).toBe(true);
    expect(provesSamePeer(thread({ threadId: "t", userId: "a" }), thread({ threadId: "t", userId: "b" }))).toBe(true);
    const apart = { threadSessionsPerUser: true };
    expect(provesSamePeer(thread({ threadId: "t", userId: "a" }), thread({ threadId: "t", userId: "b" }), apart)).toBe(
      false,
    );
  });
});

function who(userId: string, userIdAlt: string | null): MessageSource {
  return { platform: "signal", chatType: "group", chatId: "g", userId, userIdAlt };
}

function thread(source: Partial<MessageSource>): MessageSource {
  return { platform: "discord", chatType: "thread", chatId: "c", ...source };
}

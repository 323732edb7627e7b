import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describePython, runPython } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { buildSessionKey } from "../src/key/build-session-key.js";
import { legacyKeys } from "../src/key/legacy-keys.js";
import { parseSessionKey } from "../src/key/parse-session-key.js";
import type { MessageSource, SharingPolicy } from "../src/source/message-source.js";

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const TABLE = readFileSync(fixture("session-keys.tsv"), "utf8");

interface Row {
  readonly source: MessageSource;
  readonly policy: SharingPolicy;
  readonly key: string;
}

function rows(): Row[] {
  const [head = "", ...lines] = TABLE.trimEnd().split("\n");
  const fields = head.split("\t");
  return lines.map((line) => {
    const cells = line.split("\t");
    const cell = (name: string): string | null => {
      const value = cells[fields.indexOf(name)] ?? "-";
      return value === "-" ? null : value;
    };
    const source: MessageSource = {
      platform: cell("platform") ?? "",
      chatType: cell("type"),
      chatId: cell("chat"),
      threadId: cell("thread"),
      prospectiveThreadId: cell("prospective"),
      userId: cell("person"),
      userIdAlt: cell("second"),
      scopeId: cell("scope"),
      profile: cell("profile"),
    };
    const policy = {
      groupSessionsPerUser: cell("group_flag") === "1",
      threadSessionsPerUser: cell("thread_flag") === "1",
    };
    return { source, policy, key: cell("key") ?? "" };
  });
}

describe("the golden table of session keys", () => {
  it("GWS-01 builds the peer's key for every platform, chat type, thread, flag and profile", () => {
    const wrong = rows().filter(({ source, policy, key }) => buildSessionKey(source, policy) !== key);
    expect(wrong).toEqual([]);
    expect(rows()).toHaveLength(1152);
  });

  it("GWS-01 reads platform, type, profile and ids back from every key of the table", () => {
    for (const { source, key } of rows()) {
      const parts = parseSessionKey(key);
      expect(parts.platform).toBe(source.platform);
      expect(parts.profile).toBe(source.profile === "default" ? null : source.profile);
      expect(["agent", ...key.split(":").slice(4)]).toEqual(["agent", ...parts.ids]);
      for (const role of ["chatId", "threadId", "scopeId"] as const) {
        const named = parts[role];
        if (named !== undefined && source.platform !== "whatsapp") {
          expect([source[role], role === "threadId" ? source.prospectiveThreadId : null]).toContain(named);
        }
      }
    }
  });

  it("GWS-01 never offers the current key as an older one", () => {
    for (const { source, policy, key } of rows()) expect(legacyKeys(source, policy)).not.toContain(key);
  });
});

describePython("the written rules", () => {
  it("GWS-01 give the golden table, worked out by another program", () => {
    const code = `
import importlib.util
spec = importlib.util.spec_from_file_location("oracle", args["path"])
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)
answer(list(oracle.table()))`;
    const lines = runPython<string[]>(code, { path: fixture("session-key-oracle.py") });
    expect(lines).toEqual(TABLE.trimEnd().split("\n"));
  });
});

const AT_MATRIX = { platform: "matrix", chatType: "group", chatId: "!AbC:srv.org" };
const BY_PERSON = { groupSessionsPerUser: true };
const TOGETHER = { groupSessionsPerUser: false };

describe("keys of ids that hold the separator", () => {
  it.each<[MessageSource, SharingPolicy, string]>([
    [AT_MATRIX, TOGETHER, "agent:main:matrix:group::!AbC%3Asrv.org"],
    [{ ...AT_MATRIX, userId: "@u:srv" }, BY_PERSON, "agent:main:matrix:group::!AbC%3Asrv.org::-::@u%3Asrv"],
    [{ ...AT_MATRIX, userId: "u" }, BY_PERSON, "agent:main:matrix:group::!AbC%3Asrv.org::-:u"],
    [{ ...AT_MATRIX, threadId: "$e" }, BY_PERSON, "agent:main:matrix:group::!AbC%3Asrv.org:$e"],
    [
      { ...AT_MATRIX, threadId: "$e", userId: "@u:srv" },
      { threadSessionsPerUser: true },
      "agent:main:matrix:group::!AbC%3Asrv.org:$e::@u%3Asrv",
    ],
    [{ platform: "matrix", chatId: "!d:srv" }, {}, "agent:main:matrix:dm::!d%3Asrv"],
    [{ platform: "matrix", chatId: "!d:srv", threadId: "$e" }, {}, "agent:main:matrix:dm::!d%3Asrv:$e"],
    [{ platform: "matrix", userId: "@u:srv" }, {}, "agent:main:matrix:dm::-::-::@u%3Asrv"],
    [{ platform: "matrix", chatId: "100%:x" }, {}, "agent:main:matrix:dm::100%25%3Ax"],
    [{ platform: "matrix", chatId: "100%3A" }, {}, "agent:main:matrix:dm:100%3A"],
    [{ platform: "matrix", chatId: ":" }, {}, "agent:main:matrix:dm::%3A"],
    [{ platform: "matrix", chatId: "::" }, {}, "agent:main:matrix:dm::%3A%3A"],
    [{ platform: "slack", scopeId: "T1", chatId: "C:1" }, {}, "agent:main:slack:dm:T1::C%3A1"],
    [{ platform: "slack", chatId: "C:1" }, {}, "agent:main:slack:dm::-::C%3A1"],
    [{ platform: "telegram", chatId: "5", profile: "a:b" }, {}, "agent::a%3Ab:telegram:dm:5"],
  ])("GWS-01 %j with %j is %s, and comes back", (source, policy, key) => {
    expect(buildSessionKey(source, policy)).toBe(key);
    const parts = parseSessionKey(key);
    for (const role of ["chatId", "threadId", "scopeId"] as const) {
      if (parts[role] !== undefined) expect(parts[role]).toBe(source[role]);
    }
    expect(parts.ids).toContain(source.chatId ?? source.userId);
    expect(parts.profile).toBe(source.profile ?? null);
  });
});

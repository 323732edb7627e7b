import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSource } from "./decode-source.js";
import { encodeSource } from "./encode-source.js";

const TRUST = { isBot: true, roleAuthorized: true, deliveredViaUpstreamRelay: true, routeRejected: true };
const INJECTED = {
  is_bot: true,
  role_authorized: true,
  delivered_via_upstream_relay: true,
  route_rejected: true,
  isBot: true,
  roleAuthorized: true,
  deliveredViaUpstreamRelay: true,
  routeRejected: true,
};

describe("encodeSource", () => {
  it("GWS-02 writes eight keys always and the others where they say something", () => {
    expect(Object.entries(encodeSource({ platform: "telegram" }))).toEqual([
      ["platform", "telegram"],
      ["chat_id", null],
      ["chat_name", null],
      ["chat_type", "dm"],
      ["user_id", null],
      ["user_name", null],
      ["thread_id", null],
      ["chat_topic", null],
    ]);
    expect(encodeSource({ platform: "x", userIdAlt: "", scopeId: null, autoThreadCreated: false })).not.toHaveProperty(
      "user_id_alt",
    );
  });

  it("GWS-02 mirrors the workspace as guild_id", () => {
    expect(encodeSource({ platform: "discord", scopeId: "g1" })).toMatchObject({ scope_id: "g1", guild_id: "g1" });
  });

  it("GWS-04 never writes what a peer could forge", () => {
    const json = encodeSource({ platform: "x", ...TRUST, ...INJECTED });
    expect(json).toEqual(encodeSource({ platform: "x" }));
  });
});

describe("decodeSource", () => {
  it("GWS-04 never reads what a peer could forge, though it stands there", () => {
    const source = decodeSource({ platform: "x", ...INJECTED });
    expect(source).toEqual(decodeSource({ platform: "x" }));
    expect(Object.keys(source ?? {}).filter((key) => key in TRUST)).toEqual([]);
  });

  it("GWS-02 reads ids that were stored as numbers as text", () => {
    expect(decodeSource({ platform: "telegram", chat_id: -1001234567890, user_id: 42, thread_id: 0 })).toMatchObject({
      chatId: "-1001234567890",
      userId: "42",
      threadId: "0",
    });
  });

  it.each([
    [{ scope_id: "s", guild_id: "g" }, "s"],
    [{ scope_id: null, guild_id: "g" }, "g"],
    [{ scope_id: "", guild_id: 7 }, "7"],
    [{}, undefined],
  ])("GWS-02 reads the workspace of %j as %s", (json, scopeId) => {
    expect(decodeSource({ platform: "discord", ...json })?.scopeId).toBe(scopeId);
  });

  it.each([undefined, null, 5, "telegram", [], {}, { platform: null }, { platform: "" }, { platform: 5 }])(
    "GWS-02 finds no source in %j",
    (json) => {
      expect(decodeSource(json)).toBeUndefined();
    },
  );

  it("GWS-02 takes what is no text for nothing", () => {
    const source = decodeSource({ platform: "x", chat_id: { a: 1 }, chat_type: [], user_name: true, profile: {} });
    expect(source).toEqual(decodeSource({ platform: "x" }));
  });
});

describe("a source", () => {
  it("GWS-02 comes back as it was", () => {
    const seed = seedFor("GWS-02 sources");
    const text = fc.option(fc.string({ unit: "binary" }));
    const some = fc.string({ unit: "binary", minLength: 1 });
    const source = fc.record(
      {
        platform: some,
        chatId: text,
        chatName: text,
        chatType: some,
        userId: text,
        userName: text,
        threadId: text,
        chatTopic: text,
        userIdAlt: some,
        chatIdAlt: some,
        scopeId: some,
        parentChatId: some,
        messageId: some,
        profile: some,
        autoThreadCreated: fc.constant(true),
        autoThreadInitialName: some,
        prospectiveThreadId: some,
      },
      { requiredKeys: ["platform", "chatId", "chatName", "chatType", "userId", "userName", "threadId", "chatTopic"] },
    );
    fc.assert(
      fc.property(source, (given) => {
        expect(decodeSource(JSON.parse(JSON.stringify(encodeSource(given))))).toEqual(given);
      }),
      { seed, numRuns: 500 },
    );
  });
});

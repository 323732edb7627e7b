import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageSource, SharingPolicy } from "../source/message-source.js";
import { buildSessionKey, idsInOrder } from "./build-session-key.js";
import { formatSessionKey } from "./format-session-key.js";
import { profileNamespace } from "./key-namespace.js";
import { keyPlace } from "./key-place.js";
import { parseSessionKey } from "./parse-session-key.js";

/** Ids as platforms make them and as nobody would: separators at every place, percent signs, any script. */
const PIECES = [
  ":",
  "::",
  "%",
  "%3A",
  "%25",
  "-",
  "/",
  " ",
  "a",
  "B",
  "é",
  "大",
  "שלום",
  "👩‍👩‍👧",
  "\u202e",
  "@x:y",
  "!R:s",
];
const id = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((text) => !text.includes("\0")),
);
/** Few of them, so that two peers often have some in common. */
const fewIds = fc.constantFrom("a", "b", "a:b", "b:a", ":", "a:", ":a", "-", "%3A", "a%3Ab", "::");
const chatType = fc.constantFrom("dm", "group", "channel", "thread");
const platform = fc.constantFrom("telegram", "slack", "matrix", "discord");
const policy: fc.Arbitrary<SharingPolicy> = fc.record({
  groupSessionsPerUser: fc.boolean(),
  threadSessionsPerUser: fc.boolean(),
});

function sources(ids: fc.Arbitrary<string>): fc.Arbitrary<MessageSource> {
  const maybe: fc.Arbitrary<string | null> = fc.option(ids);
  const profile: fc.Arbitrary<string | null> = fc.option(fc.oneof(ids, fc.constantFrom("main", "main~", "default")));
  return fc.record({
    platform,
    chatType,
    chatId: maybe,
    threadId: maybe,
    prospectiveThreadId: maybe,
    userId: maybe,
    userIdAlt: maybe,
    scopeId: maybe,
    profile,
  });
}

const PLACES = ["scopeId", "chatId", "threadId", "userId"] as const;
const closeIds = fc.constantFrom(null, "a", "b", "a:b", ":", "-");

/** Two sources of which one has the ids of the other in other places, or some others in their stead. */
const neighbours: fc.Arbitrary<readonly [MessageSource, MessageSource]> = fc
  .record({
    platform: fc.constantFrom("slack", "matrix"),
    chatType: fc.constantFrom("dm", "group"),
    ids: fc.array(closeIds, { minLength: 4, maxLength: 4 }),
    order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    others: fc.array(fc.option(closeIds, { nil: undefined }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ ids, order, others, ...place }) => {
    const of = (values: (string | null | undefined)[]): MessageSource => ({
      ...place,
      ...Object.fromEntries(PLACES.map((name, at) => [name, values[at] ?? null])),
    });
    return [of(ids), of(order.map((at, place) => others[place] ?? ids[at]))];
  });

/** Everything that tells two conversations apart, as a text that has one reading. */
function identity(source: MessageSource, sharing: SharingPolicy): string {
  return JSON.stringify([profileNamespace(source.profile), keyPlace(source, sharing)]);
}

const RUNS = { numRuns: 3000 };

describe("session keys", () => {
  it("GWS-01 give every id back, whatever it holds", () => {
    const seed = seedFor("GWS-01 keys and back");
    fc.assert(
      fc.property(sources(id), policy, (source, sharing) => {
        const place = keyPlace(source, sharing);
        const parts = parseSessionKey(buildSessionKey(source, sharing));
        expect([...parts.ids].sort()).toEqual(idsInOrder(place).sort());
        expect(parts).toMatchObject({ platform: place.platform, chatType: place.chatType });
        expect(profileNamespace(parts.profile)).toBe(profileNamespace(source.profile));
        for (const role of ["scopeId", "chatId", "threadId", "participantId"] as const) {
          if (parts[role] !== undefined) expect(parts[role]).toBe(place[role]);
        }
      }),
      { seed, ...RUNS },
    );
  });

  it("GWS-01 name every role where an id holds the separator", () => {
    const seed = seedFor("GWS-01 roles");
    fc.assert(
      fc.property(sources(fewIds), policy, (source, sharing) => {
        const place = keyPlace(source, sharing);
        fc.pre(idsInOrder(place).some((each) => each.includes(":")));
        const { scopeId, chatId, threadId, participantId } = parseSessionKey(buildSessionKey(source, sharing));
        expect({ scopeId, chatId, threadId, participantId }).toEqual({
          scopeId: place.scopeId,
          chatId: place.chatId,
          threadId: place.threadId,
          participantId: place.participantId,
        });
      }),
      { seed, ...RUNS },
    );
  });

  it("GWS-01 format and parse are each other's inverse", () => {
    const seed = seedFor("GWS-01 parse and format");
    fc.assert(
      fc.property(sources(id), policy, (source, sharing) => {
        const key = buildSessionKey(source, sharing);
        const parts = parseSessionKey(key);
        expect(formatSessionKey(parts)).toBe(key);
        expect(parseSessionKey(formatSessionKey(parts))).toEqual(parts);
      }),
      { seed, ...RUNS },
    );
  });

  it("GWS-01 are never shared by two peers when an id of either holds the separator", () => {
    const seed = seedFor("GWS-01 one peer a key");
    fc.assert(
      fc.property(neighbours, policy, ([one, other], sharing) => {
        const ids = [one, other].flatMap((source) => idsInOrder(keyPlace(source, sharing)));
        fc.pre(ids.some((each) => each.includes(":")));
        const same = identity(one, sharing) === identity(other, sharing);
        expect(buildSessionKey(one, sharing) === buildSessionKey(other, sharing)).toBe(same);
      }),
      { seed, numRuns: 20_000 },
    );
  });

  it("GWS-01 any text is a key that is written back as it was, or no key", () => {
    const seed = seedFor("GWS-01 any text");
    const tail = fc.array(fc.constantFrom(...PIECES, ":", ":a"), { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(tail, (text) => {
        const key = `agent:main:matrix:group:${text}`;
        let parts;
        try {
          parts = parseSessionKey(key);
        } catch (error) {
          expect(error).toMatchObject({ code: "STATE_E_BAD_SESSION_KEY" });
          return;
        }
        expect(formatSessionKey(parts)).toBe(key);
      }),
      { seed, ...RUNS },
    );
  });
});

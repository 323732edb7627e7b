import { describePython, runPython, seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentText } from "./content-text.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { decodeContent } from "./decode-content.js";
import { decodeDisplayMetadata, encodeDisplayMetadata } from "./display-metadata.js";
import { encodeContent } from "./encode-content.js";
import { decodeJsonText, encodeJsonText } from "./json-text.js";
import type { MessageContent } from "./json-value.js";
import { likeEscape } from "./like-escape.js";
import { decodeModelConfig, encodeModelConfig, mergeModelConfig } from "./model-config.js";
import { pythonStrip } from "./python-strip.js";
import { checkSeconds, isSaneSeconds } from "./seconds.js";
import { decodeToolCalls, encodeToolCalls } from "./tool-calls.js";
import { stateErrorOf } from "../../test/support/open-test-store.js";

/** What a decoder gives, and how often it reported damage. */
function decoded<T>(decode: (damaged: () => void) => T): { value: T; damage: number } {
  let damage = 0;
  const value = decode(() => damage++);
  return { value, damage };
}

describe("content", () => {
  it.each<[MessageContent | undefined, string | null]>([
    [undefined, null],
    [null, null],
    ["", ""],
    ["plain", "plain"],
    ["a\0b", "a\0b"],
    [[{ type: "text", text: "大" }], '\0json:[{"type": "text", "text": "\\u5927"}]'],
    [{ k: [1, 2.5] }, '\0json:{"k": [1, 2.5]}'],
    [5, "\0json:5"],
    ["\0json:not ours", '\0json:"\\u0000json:not ours"'],
  ])("COR-14 stores %o in the peer's form and gives it back", (content, stored) => {
    expect(encodeContent(content)).toBe(stored);
    expect(decoded((damaged) => decodeContent(stored, damaged))).toEqual({ value: content ?? null, damage: 0 });
  });

  it("COR-14 gives back any JSON value", () => {
    const seed = seedFor("COR-14 content");
    const value = fc.jsonValue({ stringUnit: "binary" });
    fc.assert(
      fc.property(value, (content) => {
        const wellFormed = JSON.parse(JSON.stringify(content).toWellFormed()) as MessageContent;
        expect(decodeContent(encodeContent(wellFormed))).toEqual(wellFormed);
      }),
      { seed, numRuns: 500 },
    );
  });

  it("COR-14 hands on content that does not parse, and names the damage", () => {
    expect(decoded((d) => decodeContent("\0json:[1", d))).toEqual({ value: "\0json:[1", damage: 1 });
    expect(decoded((d) => decodeContent(new Uint8Array(2), d))).toEqual({ value: undefined, damage: 1 });
  });

  it.each<[MessageContent | undefined, string]>([
    ["words", "words"],
    [null, ""],
    [[{ type: "text", text: "one" }, { type: "image_url", image_url: {} }, { type: "text", text: "two" }], "one\ntwo"],
    [{ type: "text", text: "alone" }, "alone"],
    [{ type: "dict", k: 1 }, ""],
    [["bare", { type: "input_text", text: "typed" }], "bare\ntyped"],
    [7, ""],
  ])("SEA-05 the text of %o is %o", (content, text) => {
    expect(contentText(content)).toBe(text);
  });
});

describe("tool calls", () => {
  const calls = [{ id: "c1", function: { name: "x", arguments: '{"a": 1}' } }, { id: "c2" }];
  const stored = '[{"id": "c1", "function": {"name": "x", "arguments": "{\\"a\\": 1}"}}, {"id": "c2"}]';

  it("COR-21 are never encoded twice", () => {
    for (const given of [calls, JSON.stringify(calls), JSON.stringify(JSON.stringify(calls))]) {
      expect(encodeToolCalls(given)).toEqual({ text: stored, count: 2 });
    }
    expect(decoded((d) => decodeToolCalls(stored, d))).toEqual({ value: calls, damage: 0 });
    expect(decodeToolCalls(JSON.stringify(stored))).toEqual(calls);
  });

  it.each([[undefined], [null], [""], ["[]"], [[]], [false]])("COR-21 are NULL for %o", (nothing) => {
    expect(encodeToolCalls(nothing)).toEqual({ text: null, count: 0 });
  });

  it("COR-21 count one for what is no list, and nothing that cannot be parsed is lost", () => {
    expect(encodeToolCalls({ id: "c1" })).toEqual({ text: '{"id": "c1"}', count: 1 });
    expect(encodeToolCalls("[broken")).toEqual({ text: "[broken", count: 0 });
    expect(decoded((d) => decodeToolCalls("[broken", d))).toEqual({ value: [], damage: 1 });
    expect(decoded((d) => decodeToolCalls("7", d))).toEqual({ value: [], damage: 1 });
    expect(decodeToolCalls(null)).toBeNull();
  });
});

describe("JSON columns", () => {
  it("COR-14 reasoning details: text verbatim, structures spelled, nothing is NULL", () => {
    expect(encodeJsonText('[{"a":1}]')).toBe('[{"a":1}]');
    expect(encodeJsonText([{ a: 1 }])).toBe('[{"a": 1}]');
    for (const nothing of [undefined, null, "", 0, false, [], {}]) expect(encodeJsonText(nothing)).toBeNull();
    expect(decodeJsonText('[{"a":1}]')).toEqual([{ a: 1 }]);
    expect(decodeJsonText("just words")).toBe("just words");
  });

  it("COR-14 display metadata: an object through the layers old writers added, never raw text", () => {
    expect(encodeDisplayMetadata({ a: "大" })).toBe('{"a": "\\u5927"}');
    expect(encodeDisplayMetadata('{"a":1}')).toBe('{"a": 1}');
    for (const nothing of [undefined, null, "", {}]) expect(encodeDisplayMetadata(nothing)).toBeNull();
    expect(() => encodeDisplayMetadata("[1]")).toThrow(TypeError);
    const layers = ['{"a": 1}', JSON.stringify('{"a": 1}'), JSON.stringify(JSON.stringify('{"a": 1}'))];
    for (const layer of layers) expect(decodeDisplayMetadata(layer)).toEqual({ a: 1 });
    expect(decoded((d) => decodeDisplayMetadata("[1]", d))).toEqual({ value: undefined, damage: 1 });
    expect(decoded((d) => decodeDisplayMetadata("{", d))).toEqual({ value: undefined, damage: 1 });
  });

  it("COR-20 model config: read tolerantly, merged by key, null deletes", () => {
    expect(encodeModelConfig({})).toBeNull();
    for (const bad of ["[1]", "{", "7", ""]) expect(decodeModelConfig(bad)).toEqual({});
    const merged = mergeModelConfig({ _branched_from: "p", a: 1, b: 2 }, { a: null, b: 3, c: { d: 4 } });
    expect(merged).toEqual({ _branched_from: "p", b: 3, c: { d: 4 } });
    expect(encodeModelConfig(merged)).toBe('{"_branched_from": "p", "b": 3, "c": {"d": 4}}');
  });
});

describe("small helpers", () => {
  it("COR-33 likeEscape makes wildcards and the escape itself literal", () => {
    expect(likeEscape("50%_a\\b")).toBe("50\\%\\_a\\\\b");
  });

  it.each([[0], [99], [1_760_000_000.5], [253_402_300_799.9]])("P28 takes %d as a moment", (value) => {
    expect(isSaneSeconds(value)).toBe(true);
    expect(checkSeconds("x", value)).toBe(value);
  });

  it.each([[-1], [5.49e246], [NaN], [Infinity], [1_760_000_000_000], ["1"], [null], [1n], [new Date(0)]])(
    "P28 refuses %s as a moment",
    (value) => {
      expect(stateErrorOf(() => checkSeconds("x", value)).code).toBe("STATE_E_BAD_TIMESTAMP");
    },
  );

  it("P28 stores negative zero as zero", () => {
    expect(Object.is(checkSeconds("x", -0), 0)).toBe(true);
  });

  it("COR-31 a cursor comes back as it went, and another list refuses it", () => {
    const cursor = encodeCursor("active", [1.5, "id 大"]);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(decodeCursor("x", "active", cursor, ["number", "string"])).toEqual([1.5, "id 大"]);
    const wrong = [
      () => decodeCursor("x", "started", cursor, ["number", "string"]),
      () => decodeCursor("x", "active", cursor, ["string", "string"]),
      () => decodeCursor("x", "active", "%%%", ["number"]),
      () => decodeCursor("x", "active", "", []),
    ];
    for (const call of wrong) expect(stateErrorOf(call).code).toBe("STATE_E_BAD_CURSOR");
  });
});

describePython("trimming beside a real str.strip", () => {
  it("COR-22 pythonStrip trims every character that str.strip trims, and no other", () => {
    const codes = Array.from({ length: 0x3100 }, (_, code) => code).concat(0xfeff, 0xffff);
    const texts = codes.map((code) => `${String.fromCharCode(code)}x${String.fromCharCode(code)}`);
    const theirs = runPython<string[]>("answer([text.strip() for text in args])", texts);
    expect(texts.map(pythonStrip)).toEqual(theirs);
  });
});

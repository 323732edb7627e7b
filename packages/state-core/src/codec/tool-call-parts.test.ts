import { describe, expect, it } from "vitest";
import type { JsonValue } from "./json-value.js";
import { toolCallParts } from "./tool-call-parts.js";

describe("toolCallParts", () => {
  it.each<[JsonValue, string | undefined, string | undefined]>([
    [{ id: "c", function: { name: "ls", arguments: '{"a": 1}' } }, "ls", '{"a": 1}'],
    [{ name: "ls", input: { a: 1 } }, "ls", '{"a":1}'],
    [{ function: { name: 5, arguments: null } }, undefined, undefined],
    [{ function: null }, undefined, undefined],
    ["ls", undefined, undefined],
    [null, undefined, undefined],
  ])("reads %j", (call, name, args) => {
    expect(toolCallParts(call)).toEqual({ name, arguments: args });
  });
});

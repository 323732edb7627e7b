import { describe, expect, it } from "vitest";
import { visibleText } from "./visible-text.js";

describe("visibleText", () => {
  it("spells controls and direction marks, and leaves text, newlines and tabs", () => {
    expect(visibleText("a\u001b[31m\u0000\u009b\u007f\u202e\u2066")).toBe("a\\u001b[31m\\u0000\\u009b\\u007f\\u202e\\u2066");
    expect(visibleText("修复 👩‍👩‍👧 é שלום\n\tx")).toBe("修复 👩‍👩‍👧 é שלום\n\tx");
  });

  it("makes every line end one newline, so that none overwrites its line", () => {
    expect(visibleText("a\r\nb\rc\n")).toBe("a\nb\nc\n");
  });
});

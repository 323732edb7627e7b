import type { OwnPatterns } from "@hermes/state-portability";
import { redact } from "@hermes/state-portability";
import { describe, expect, it } from "vitest";
import { StepEngine } from "./step-engine.js";

const GOOD: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/ABC-\d+/, "ABC-123"],
  [/[A-Z]+-\d+/, "ABC-123"],
  [/\bEMP-\d+\b/, "EMP-1"],
  [/\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b/i, "me@corp.example"],
  [/(?:[a-z0-9-]+\.)+corp\.local/, "a.b-c.corp.local"],
  [/\b(?:\d[ -]*?){13,16}\b/, "4111 1111 1111 1111"],
  [/(?:\d{1,3}\.){3}\d{1,3}/, "10.0.0.1"],
  [/BEGIN SECRET[\s\S]*?END SECRET/, "BEGIN SECRET\nx\nEND SECRET"],
  [/employee\s*id:\s*\d+/, "employee id: 7"],
  [/"(?:[^"\\]|\\.)*"/, '"a\\"b"'],
  [/\p{Lu}{2}\d+/u, "ÄÖ1"],
  [/(?<keep>id=)[^;]+/, "id=x"],
];

const BAD: readonly RegExp[] = [
  /a*/,
  /(?=a)/,
  /\b/,
  /(a+)+$/,
  /((a+))+$/,
  /(?:\w*x)*y/,
  /(a|a)*b/,
  /(a|aa)+$/,
  /(.*)*x/,
  /^(\w+\s?)*$/,
  /(?:\w+\s?)+:/,
  /(x+x+)+y/,
  /.*.*.*=/,
  /\s+\s+x\w*y/,
  /(?:a{0,100}b?){2,100}c/,
  /(?=(a+)+b)a/,
  /(\d+)\1/,
];

const code = (patterns: unknown): unknown => {
  try {
    redact("x", patterns as OwnPatterns);
    return "none";
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : (error as { code?: string }).code;
  }
};

describe("own patterns", () => {
  it("POR-06 takes out what they find, under the kind they name, and never a mark again", () => {
    expect(redact("ticket ABC-123", [/ABC-\d+/])).toBe("ticket [REDACTED:own]");
    expect(redact("ticket ABC-123", ["ABC-\\d+"])).toBe("ticket [REDACTED:own]");
    expect(redact("ticket ABC-123", [{ kind: "ticket", pattern: /ABC-\d+/y }])).toBe("ticket [REDACTED:ticket]");
    expect(redact("a\\-b", ["a\\\\\\-b"])).toBe("[REDACTED:own]");
    const shouting = redact("SECRETWORD password=hunter22", [/[A-Z]{5,}/]);
    expect(shouting).toBe("[REDACTED:own] password=[REDACTED:password]");
    expect(redact(shouting, [/[A-Z]{5,}/])).toBe(shouting);
    expect(redact('{"card": 4111111111111111, "n": 5}', [/\d{16}/])).toBe('{"card": "[REDACTED:own]", "n": 5}');
    expect(redact({ card: 4111111111111111 }, [/\d{16}/])).toEqual({ card: "[REDACTED:own]" });
  });

  it.each(GOOD)("POR-06 takes the pattern %s", (pattern, text) => {
    expect(redact(`- ${text} -`, [pattern])).toContain("[REDACTED:own]");
  });

  it.each(BAD)("POR-06 refuses the pattern %s, whose work has no bound, or which finds nothing", (pattern) => {
    expect(code([pattern])).toBe("STATE_E_REDACT_PATTERN");
    expect(code([pattern.source])).toBe("STATE_E_REDACT_PATTERN");
  });

  it("POR-06 refuses what is no pattern", () => {
    for (const source of ["(", "[a-", "a{2,1}", "(?<x>a)(?<x>b)"])
      expect(code([source])).toBe("STATE_E_REDACT_PATTERN");
    for (const kind of ["Not One", "", "x".repeat(60), 5]) {
      expect(code([{ kind, pattern: /a/ }])).toBe("STATE_E_REDACT_PATTERN");
    }
    for (const none of [5, null, {}, { kind: "x" }, { kind: "x", pattern: "a" }])
      expect(code([none])).toBe("TypeError");
  });

  it("POR-06 what it takes costs no more than the square of the text, what it refuses more", () => {
    const steps = (pattern: RegExp, length: number): number => {
      const engine = new StepEngine(pattern);
      engine.matches(`BEGIN SECRET employee id: ${"aA1-.@ ".repeat(length / 7)}`);
      return engine.steps;
    };
    for (const [pattern] of GOOD) expect(steps(pattern, 280) / steps(pattern, 140), String(pattern)).toBeLessThan(4.5);
    const cubic = new StepEngine(/.*.*.*=/);
    cubic.matches("a".repeat(60));
    const atOnce = cubic.steps;
    cubic.matches("a".repeat(120));
    expect((cubic.steps - atOnce) / atOnce).toBeGreaterThan(7);
  });
});

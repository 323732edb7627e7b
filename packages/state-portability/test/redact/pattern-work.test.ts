import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SECRET_PATTERNS } from "../../src/redact/secret-patterns.js";
import { CANARIES } from "./canaries.js";
import { StepEngine } from "./step-engine.js";

const SHORT = 1000;
/** So few steps for twice the text are nothing, however they grow: a beginning that fits once. */
const NOTHING = 30 * SHORT;
const MOST_PIECES = 40;
const COMMON = ["a", "A", "0", " ", "=", "-", ".", ":", "/", "\\", '"', "'", "eyJ", "a.", "a:", "a=", "://", "@"];
const seed = seedFor("pattern work");

/** Texts made to keep an engine busy: pieces of what a pattern looks for, again and again, and then no end. */
function pumps(kind: string): string[] {
  const pieces = new Set(COMMON);
  for (const [text] of CANARIES[kind] ?? []) {
    for (const length of [3, 7, 12, 20]) {
      for (let at = 0; at < text.length; at += 5) pieces.add(text.slice(at, at + length));
    }
    pieces.add(text.slice(0, -1));
  }
  const all = [...pieces].filter((piece) => piece !== "");
  const stride = Math.ceil(all.length / MOST_PIECES);
  return all.filter((_, index) => index < COMMON.length || index % stride === 0);
}

function beginnings(kind: string): string[] {
  const texts = (CANARIES[kind] ?? []).map(([text]) => text.slice(0, 24));
  return ["", ...new Set(texts)].slice(0, 3);
}

const engines = new Map<RegExp, StepEngine>();

/** Steps for a text twice as long, beside those for the short one. */
function growth(pattern: RegExp, beginning: string, piece: string): { steps: number; ratio: number } {
  const engine = engines.get(pattern) ?? new StepEngine(pattern);
  engines.set(pattern, engine);
  const [short, long] = [SHORT, 2 * SHORT].map((length) => {
    engine.steps = 0;
    engine.matches((beginning + piece.repeat(Math.ceil(length / piece.length))).slice(0, length));
    return engine.steps;
  }) as [number, number];
  return { steps: long, ratio: long / short };
}

const CASES = SECRET_PATTERNS.map((pattern, index) => ({ ...pattern, name: `${pattern.kind} (${index})` }));

describe(`work of patterns (seed ${seed})`, () => {
  it.each(CASES)(
    "POR-06 $name: twice the text costs at most twice the steps, however it is made",
    ({ kind, pattern }) => {
      for (const beginning of beginnings(kind)) {
        for (const piece of pumps(kind)) {
          const { steps, ratio } = growth(pattern, beginning, piece);
          const worst = { kind, beginning, piece, steps, ratio };
          expect(steps > NOTHING && ratio > 2.3 ? worst : "linear").toBe("linear");
        }
      }
    },
  );

  it("POR-06 the count tells a pattern that grows with the square", () => {
    expect(growth(/[a-z]+@/g, "", "a").ratio).toBeGreaterThan(3.5);
    expect(growth(/(?<![a-z])[a-z]+@/g, "", "a").ratio).toBeLessThan(2.1);
  });

  it("POR-06 counts with the engine's own answers", () => {
    const texts = Object.values(CANARIES).flatMap((list) => list.map(([text]) => text));
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom(...texts),
          fc.string({ maxLength: 6 }),
          fc.constantFrom("=", ":", '"', "\\", "@", " "),
        ),
        {
          maxLength: 8,
        },
      )
      .map((pieces) => pieces.join(""));
    const own = [/a|ab|b*c/g, /\b(?:x{2,3}y?)+?\B/g, /(?<=a[^b]*)b$|^c/g, /(?!ab)[\w-]{1,3}?(?=.)/gi];
    const patterns = [...SECRET_PATTERNS.map(({ pattern }) => pattern), ...own];
    fc.assert(
      fc.property(text, fc.constantFrom(...patterns), (given, pattern) => {
        const found = [...given.matchAll(pattern)].map(({ index, 0: match }) => [index, index + match.length]);
        expect(new StepEngine(pattern).matches(given)).toEqual(found);
      }),
      { seed, numRuns: 300 },
    );
  });
});

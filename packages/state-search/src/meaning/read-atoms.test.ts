import { describe, expect, it } from "vitest";
import { readAtoms } from "./read-atoms.js";

function atoms(text: string): string {
  return readAtoms(text).map(({ kind, text: folded }) => `${kind}:${folded}`).join(" ");
}

const CASES: readonly (readonly [string, string])[] = [
  ["", ""],
  ["Hello, World!", "word:hello word:world"],
  ["snake_case", "word:snake word:case"],
  ["v1.2", "word:v1 word:2"],
  ["cre\u0301me", "word:creme"],
  ["हिन्दी", "word:हिन्दी"],
  ["مَرْحَبًا", "word:مَرْحَبًا"],
  ["修改youer服务端", "run:修改 word:youer run:服务端"],
  ["第3章", "run:第 word:3 run:章"],
  ["日本語のカタカナ", "run:日本語のカタカナ"],
  ["ｶﾀｶﾅ・ﾃﾞｰﾀ", "run:ｶﾀｶﾅ run:ﾃﾞｰﾀ"],
  ["한국어 ㄱㅏ", "run:한국어 run:ㄱㅏ"],
  ["ㄅㄆㄇ", "run:ㄅㄆㄇ"],
  ["สวัสดีครับ", "run:สวัสดีครับ"],
  ["ສະບາຍດີ", "run:ສະບາຍດີ"],
  ["សួស្តី។", "run:សួស្តី"],
  ["မင်္ဂလာပါ။", "run:မင်္ဂလာပါ"],
  ["𠀋\u{2ebf0}\u{323b0}\u{3134a}", "run:𠀋\u{2ebf0}\u{323b0}\u{3134a}"],
  ["々〇⼀", "run:々〇⼀"],
  ["大别山。项目、，！", "run:大别山 run:项目"],
  ["a🚀b", "word:a emoji:🚀 word:b"],
  ["👩\u200d👩\u200d👧", "emoji:👩\u200d👩\u200d👧"],
  ["👍🏽🇫🇷🇺🇸", "emoji:👍🏽🇫🇷🇺🇸"],
  ["❤\ufe0f!", "emoji:❤"],
  ["1\ufe0f\u20e3", "word:1"],
  ["Δt", "word:δ word:t"],
  ["5μm", "word:5μ word:m"],
  ["１２３ＡＢＣ", "word:１２３ａｂｃ"],
  ["“quoted”—dash", "word:quoted word:dash"],
  ["می\u200cخواهم", "word:می word:خواهم"],
  ["\ud83d lone", "word:lone"],
];

describe("readAtoms", () => {
  for (const [text, expected] of CASES) {
    it(`SEA-17 cuts ${JSON.stringify(text)}`, () => {
      expect(atoms(text)).toBe(expected);
    });
  }

  it("SEA-17 says where each atom stands", () => {
    const text = "𠀋 Crème cre\u0301me 🚀";
    expect(readAtoms(text).map(({ start, end }) => text.slice(start, end))).toEqual(["𠀋", "Crème", "cre\u0301me", "🚀"]);
  });
});

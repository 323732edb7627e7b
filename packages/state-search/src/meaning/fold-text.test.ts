import { betterSqlite3Driver } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { foldText } from "./fold-text.js";
import { characterClass, isWordClass } from "./character-class.js";

/** What the engine keeps of each code point between two letters: undefined when it separates them. */
function engineFolds(first: number, last: number): Map<number, string | undefined> {
  const db = betterSqlite3Driver.open(":memory:", { readonly: false, busyTimeoutMs: 0 });
  db.exec("CREATE VIRTUAL TABLE t USING fts5(x); CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance'); BEGIN");
  const insert = db.prepare("INSERT INTO t(rowid, x) VALUES (?, ?)", "object");
  const points: number[] = [];
  for (let point = first; point <= last; point++) if (point < 0xd800 || point > 0xdfff) points.push(point);
  for (const point of points) insert.run([point, `x${String.fromCodePoint(point)}y`]);
  const terms = new Map<number, string[]>();
  for (const [doc, term] of db.prepare("SELECT doc, term FROM v", "tuple").all([]) as [number, string][]) {
    const found = terms.get(doc);
    if (found) found.push(term);
    else terms.set(doc, [term]);
  }
  db.close();
  return new Map(
    points.map((point) => {
      const found = terms.get(point) ?? [];
      return [point, found.length === 1 ? found[0]?.slice(1, -1) : undefined];
    }),
  );
}

const SELECTORS = /[\u20e3\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

function disagreements(first: number, last: number): string[] {
  const wrong: string[] = [];
  for (const [point, engine] of engineFolds(first, last)) {
    const character = String.fromCodePoint(point);
    if (engine === undefined || SELECTORS.test(character)) continue;
    const ours = foldText(character);
    if (ours !== engine) wrong.push(`U+${point.toString(16)} ${character}: engine "${engine}", ours "${ours}"`);
  }
  return wrong;
}

describe("folding", () => {
  it("SEA-17 folds every letter of the basic plane as the engine's word index does", () => {
    expect(disagreements(1, 0xffff)).toEqual([]);
  });

  it("SEA-17 folds every letter of the first astral plane as the engine's word index does", () => {
    expect(disagreements(0x10000, 0x1ffff)).toEqual([]);
  });

  it("SEA-17 takes no character for part of a word that the engine takes for a separator, but for marks and New Tai Lue", () => {
    const wrong: string[] = [];
    for (const [point, engine] of engineFolds(0x80, 0x1ffff)) {
      const character = String.fromCodePoint(point);
      const excused = /[\p{M}\u19b0-\u19c9\u1cf2\u1cf3]/u.test(character);
      if (engine === undefined && !excused && isWordClass(characterClass(point))) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it("SEA-17 folds one diacritic and keeps letters that carry two, sharp s, yo and d with stroke", () => {
    expect(foldText("Crème BRÛLÉE Zoë e\u0301clair")).toBe("creme brulee zoe eclair");
    expect(foldText("Việt Straße Ёлка Đường")).toBe("việt straße ёлка đuờng");
    expect(foldText("１２３ＡＢＣ")).toBe("１２３ａｂｃ");
  });
});

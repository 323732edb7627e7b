import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { checkPublicDocs } from "./check-public-docs.mjs";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

const trees: string[] = [];
const plant = (source: string): string[] => {
  const index = 'export { thing } from "./thing.js";\n';
  const tree = plantTree({ "packages/state-core/src/index.ts": index, "packages/state-core/src/thing.ts": source });
  trees.push(tree);
  return checkPublicDocs(tree);
};

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

describe("check-public-docs", () => {
  it.each([
    ["a function", "export function thing(): void {}\n"],
    ["a constant", "export const thing = 1;\n"],
    ["a method", "/** A thing. */\nexport class thing {\n  act(): void {}\n}\n"],
  ])("reports %s without a docstring", (_what, source) => {
    expect(plant(source)).toHaveLength(1);
  });

  it("passes documented names, private members and the standard protocols", () => {
    const members = "  /** Acts. */\n  act(): void {}\n  private hide(): void {}\n  [Symbol.dispose](): void {}\n";
    expect(plant(`/** A thing. */\nexport class thing {\n${members}}\n`)).toEqual([]);
  });

  it("finds nothing in this repository", () => {
    expect(checkPublicDocs(repositoryRoot)).toEqual([]);
  });
});

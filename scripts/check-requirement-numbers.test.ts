import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { definedNumbers, undefinedNumbers, unprovenNumbers } from "./check-requirement-numbers.mjs";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

/** Written in pieces, so that the check does not read these as numbers of this repository. */
const number = (prefix: string, digits: number): string => `${prefix}-${digits}`;
const UNKNOWN = number("COR", 98);

const DOCS = {
  "docs/requirements.md": `# Title\n\n- **${number("COR", 97)}** Appends append.\n- ${number("COR", 96)} Old form.\n`,
  "docs/field-cases.md": "# Field cases\n\n## P01 It broke\n",
};

const trees: string[] = [];
const plant = (title: string): string => {
  const test = `import { it } from "vitest";\nit("${title}", () => {});\n`;
  const tree = plantTree({ ...DOCS, "packages/state-core/src/a.test.ts": test });
  trees.push(tree);
  return tree;
};

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

describe("check-requirement-numbers", () => {
  it("reports a number that nobody defined", () => {
    expect(undefinedNumbers(plant(`${UNKNOWN} appends`))).toEqual([expect.stringContaining(`:2: ${UNKNOWN} `)]);
  });

  it("accepts requirements and field cases", () => {
    expect(undefinedNumbers(plant(`P01 ${number("COR", 97)} appends`))).toEqual([]);
  });

  it("lists the numbers that no title names", () => {
    expect(unprovenNumbers(plant(`${number("COR", 97)} appends`))).toEqual([number("COR", 96), "P01"]);
  });

  it("knows every number that this repository uses", () => {
    expect(undefinedNumbers(repositoryRoot)).toEqual([]);
    expect(definedNumbers(repositoryRoot).size).toBeGreaterThan(100);
  });
});

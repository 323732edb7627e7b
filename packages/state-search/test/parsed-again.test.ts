import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseQuery, type QueryNode } from "../src/index.js";
import { randomQuery } from "./helpers/random-corpus.js";

/** Writes a tree as text of the language. */
function write(node: QueryNode): string {
  switch (node.type) {
    case "term": {
      const text = node.atoms.map((atom, index) => (index > 0 ? (node.gaps[index - 1] ?? "") : "") + atom.text).join("");
      return `"${text}"${node.prefix ? "*" : ""}`;
    }
    case "and":
      return `(${node.all.map(write).join(" ")}${node.none.map((member) => ` NOT ${write(member)}`).join("")})`;
    case "or":
      return `(${node.any.map(write).join(" OR ")})`;
  }
}

it("SEA-01 SEA-02 understands what it understood as the same again", () => {
  fc.assert(
    fc.property(randomQuery, (text) => {
      const { root } = parseQuery(text);
      if (root) expect(parseQuery(write(root)).root).toEqual(root);
    }),
    { seed: seedFor("parsed again"), numRuns: 2000 },
  );
});

import { describe, expect, it } from "vitest";
import { planLinks } from "./plan-links.js";

const link = (id: string, parentId: string): { id: string; parentId: string } => ({ id, parentId });

function plan(wanted: [string, string][], store: Record<string, string | null>): Record<string, string[]> {
  const result = planLinks(
    wanted.map(([id, parent]) => link(id, parent)),
    (id) => store[id],
  );
  return Object.fromEntries(
    Object.entries(result).map(([kind, links]) => [kind, (links as { id: string }[]).map(({ id }) => id)]),
  );
}

describe("planLinks", () => {
  it("POR-02 links children whose parents come later in the file", () => {
    const store = { a: null, b: null, c: null };
    expect(
      plan(
        [
          ["a", "b"],
          ["b", "c"],
        ],
        store,
      ),
    ).toEqual({ links: ["a", "b"], missing: [], cyclic: [] });
  });

  it("POR-02 breaks a ring at the link that would close it", () => {
    expect(
      plan(
        [
          ["a", "b"],
          ["b", "a"],
        ],
        { a: null, b: null },
      ),
    ).toEqual({ links: ["a"], missing: [], cyclic: ["b"] });
    expect(
      plan(
        [
          ["a", "b"],
          ["b", "c"],
          ["c", "a"],
        ],
        { a: null, b: null, c: null },
      ),
    ).toMatchObject({ cyclic: ["c"] });
  });

  it("POR-02 refuses a session as its own parent", () => {
    expect(plan([["a", "a"]], { a: null })).toMatchObject({ links: [], cyclic: ["a"] });
  });

  it("POR-02 names sessions whose parent is nowhere", () => {
    expect(plan([["a", "gone"]], { a: null })).toMatchObject({ missing: ["a"] });
  });

  it("ends on a ring that the store holds already", () => {
    expect(plan([["a", "x"]], { a: null, x: "y", y: "x" })).toMatchObject({ links: ["a"] });
  });
});

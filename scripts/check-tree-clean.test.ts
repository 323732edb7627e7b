import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { checkTreeClean } from "./check-tree-clean.mjs";
import { plantTree, repositoryRoot } from "./support/plant-tree.js";

/** Written in pieces, so that this file itself is clean. */
const join = (...pieces: string[]): string => pieces.join("");

const trees: string[] = [];
const plant = (text: string, name = "docs/page.md"): string[] => {
  const tree = plantTree({ [name]: text });
  trees.push(tree);
  return checkTreeClean(tree);
};

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

describe("check-tree-clean", () => {
  it.each([
    ["a build folder", join("see /wo", "rk/main/x.ts")],
    ["a home folder", join("see /ho", "me/alice/x.ts")],
    ["another system's home folder", join("see /Us", "ers/alice/x.ts")],
    ["a registry", join("from https://regis", "try.example.org/left-pad")],
    ["a private address", join("from http://10", ".1.2.3:4873/left-pad")],
    ["a folder beside one clone", join("see ../sha", "red/spec")],
    ["a document that is not here", join("see core", "-schema 5.6")],
  ])("reports %s", (_what, text) => {
    expect(plant(`first line\n${text}\n`)).toEqual([expect.stringMatching(/^docs\/page\.md:2: /)]);
  });

  it("reports a host in the lockfile", () => {
    expect(plant("resolution: {tarball: https://example.org/x.tgz}\n", "pnpm-lock.yaml")).toHaveLength(1);
  });

  it("passes links to the web, sample folders and version numbers", () => {
    expect(plant("https://sqlite.org and /home/user/project and 10.15.0 and a/work/b\n")).toEqual([]);
  });

  it("finds nothing in this repository", () => {
    expect(checkTreeClean(repositoryRoot)).toEqual([]);
  });
});

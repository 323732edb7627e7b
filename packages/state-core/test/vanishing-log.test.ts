import { spawnNode, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

describe("a log that vanishes", () => {
  it("GND-02 is not in the way of an open: others close, and take it with them", async () => {
    using dir = tempDir("vanishing");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    const children = Array.from({ length: 3 }, () => spawnNode(childScript("open-and-close.mjs"), [path, "150"]));
    const ends = await Promise.all(children.map((child) => child.exit));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, ""]));
    expect(ends.map(({ stdout }) => JSON.parse(stdout) as string[])).toEqual([[], [], []]);
  });
});

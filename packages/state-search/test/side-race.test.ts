import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { spawnNode, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { searchIds } from "./helpers/search-ids.js";
import { freshSide } from "./helpers/side-states.js";

const CHILD = join(import.meta.dirname, "children", "side-index.mjs");
const TIMES = 25;

it("SEA-03 is caught up, asked and deleted by three processes at once, and none misses a row", async () => {
  using dir = tempDir("side-race");
  const path = dir.file("state.db");
  using store = openStateStore({ path, durability: "normal" });
  store.sessions.create({ id: "s1", source: "cli" });
  const lines: string[] = [];
  const children = ["数据", "数据", "数据"].map((word) =>
    spawnNode(CHILD, [path, word, String(TIMES)], { onLine: (line) => lines.push(line) }),
  );
  const exits = await Promise.all(children.map((child) => child.exit));
  expect(exits.map(({ code }) => code)).toEqual([0, 0, 0]);
  // Others append between the search and the count: a search finds what was there, and never less than its own rows.
  for (const line of lines) {
    const pairs = JSON.parse(line) as [number, number][];
    expect(pairs).toHaveLength(TIMES);
    for (const [index, [found, there]] of pairs.entries()) {
      expect(found).toBeGreaterThan(index);
      expect(found).toBeLessThanOrEqual(there);
    }
  }
  freshSide(store);
  expect(searchMessages(store, "数据").route).toBe("side");
  expect(searchIds(store, "数据")).toHaveLength(3 * TIMES);
}, 90_000);

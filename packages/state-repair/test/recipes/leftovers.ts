import { join } from "node:path";
import { killAtLine, repoRoot, spawnNode } from "@hermes/testkit";
import type { Recipe } from "./recipe.js";
import { edit } from "./spoil.js";

const CHILD = join(repoRoot(), "packages", "state-repair", "test", "children", "leave-behind.mjs");

async function leaveBehind(path: string, what: "journal" | "log"): Promise<void> {
  await using child = spawnNode(CHILD, [path, what]);
  await killAtLine(child, "ready");
}

/** What a process that was killed leaves beside the file, and rows that lost their session: no damage, and no work. */
export const LEFTOVERS: readonly Recipe[] = [
  {
    number: "11",
    title: "a hot journal: a transaction was interrupted while it was half in the file",
    journal: "delete",
    damage: (path) => leaveBehind(path, "journal"),
    verdict: "healthy",
    answer: { strategies: [] },
  },
  {
    number: "12",
    title: "an orphaned log: committed rows are in it and not in the file",
    damage: (path) => leaveBehind(path, "log"),
    verdict: "healthy",
    answer: { strategies: [] },
    rowsIntact: false,
  },
  {
    number: "18",
    title: "a session row is gone and its messages are orphans",
    damage: (path) =>
      edit(path, (database) => database.exec("DELETE FROM sessions WHERE rowid = (SELECT MAX(rowid) FROM sessions)")),
    verdict: "healthy",
    // The trigram index holds messages whose session says whether it may: that is worth filling it again.
    answer: { strategies: ["rebuild_fts"] },
    rowsIntact: false,
  },
];

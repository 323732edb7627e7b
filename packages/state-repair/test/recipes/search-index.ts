import type { Recipe } from "./recipe.js";
import { edit, rootOf, zeroPage } from "./spoil.js";

function run(path: string, sql: string): void {
  edit(path, (database) => database.exec(sql));
}

/** The first entry a segment gets has no term yet; segments this high come next. */
const STALE_ROWS = `
  WITH RECURSIVE segment(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM segment WHERE id < 2000)
  INSERT OR IGNORE INTO messages_fts_idx SELECT id, x'', 2 FROM segment`;

/** Damage inside the tables of a search index: the rows are intact, and searches, or writes, are not. */
export const SEARCH_INDEX: readonly Recipe[] = [
  {
    number: "8a",
    title: "the structure record of the search index is overwritten: searches find nothing, writes fail",
    damage: (path) => run(path, "UPDATE messages_fts_data SET block = x'deadbeef' WHERE id = 10"),
    verdict: "damaged",
    answer: { strategies: ["rebuild_fts"] },
  },
  {
    number: "8b",
    title: "the segments of the search index are gone: every search raises (P01)",
    damage: (path) => run(path, "DELETE FROM messages_fts_data WHERE id > 10"),
    verdict: "damaged",
    answer: { strategies: ["rebuild_fts"] },
  },
  {
    number: "8c",
    title: "the search index has entries for segments to come: only writes fail",
    damage: (path) => run(path, STALE_ROWS),
    verdict: "damaged",
    answer: { strategies: ["rebuild_fts"] },
  },
  {
    number: "8d",
    title: "the root page of the search index is zeroed: its table cannot be opened",
    damage: (path) => zeroPage(path, rootOf(path, "messages_fts_data")),
    verdict: "damaged",
    answer: { strategies: ["drop_fts_rebuild"] },
  },
  {
    number: "8e",
    title: "a part of the search index is gone from the schema",
    damage: (path) => run(path, "DELETE FROM sqlite_master WHERE name = 'messages_fts_data'"),
    verdict: "damaged",
    answer: { strategies: ["drop_fts_rebuild"] },
  },
  {
    number: "8f",
    title: "the trigram index has lost its segments",
    damage: (path) => run(path, "DELETE FROM messages_fts_trigram_data WHERE id > 10"),
    verdict: "damaged",
    answer: { strategies: ["rebuild_fts"] },
  },
];

import { statSync, truncateSync } from "node:fs";
import type { Recipe } from "./recipe.js";
import { dropLastChild, leavesOf, PAGE, rootOf, zeroPage } from "./spoil.js";

function leafOf(path: string, name: string): number {
  const leaves = leavesOf(path, name);
  return leaves[Math.floor(leaves.length / 2)] ?? rootOf(path, name);
}

/** Pages that are zeroed, torn, cut off, or that no tree leads to any more. */
export const LOST_PAGES: readonly Recipe[] = [
  {
    number: "5a",
    title: "a page of messages is zeroed",
    damage: (path) => zeroPage(path, leafOf(path, "messages")),
    verdict: "damaged",
    answer: { refused: "rows-damaged" },
  },
  {
    number: "5b",
    title: "the root page of an index is zeroed",
    damage: (path) => zeroPage(path, rootOf(path, "idx_messages_session")),
    verdict: "damaged",
    answer: { strategies: ["recreate_index"] },
  },
  {
    number: "5c",
    title: "the root page of the key of the sessions is zeroed",
    damage: (path) => zeroPage(path, rootOf(path, "sqlite_autoindex_sessions_1")),
    verdict: "damaged",
    answer: { strategies: ["recreate_index"] },
  },
  {
    number: "5d",
    title: "a page of messages hangs on no tree any more, and only indexes still list its rows",
    damage: (path) => dropLastChild(path, rootOf(path, "messages")),
    verdict: "damaged",
    answer: { refused: "rows-damaged" },
    rowsIntact: false,
  },
  {
    number: "6",
    title: "the second half of a page of an index is zeroed",
    damage: (path) => zeroPage(path, leafOf(path, "idx_messages_session"), PAGE / 2),
    verdict: "damaged",
    answer: { strategies: ["reindex_btree"] },
  },
  {
    number: "9a",
    title: "the file is cut to its half",
    damage: (path) => truncateSync(path, Math.floor(statSync(path).size / PAGE / 2) * PAGE),
    verdict: "damaged",
    answer: { refused: "unreadable" },
  },
  {
    number: "9b",
    title: "the last 1000 bytes of the file are cut off",
    damage: (path) => truncateSync(path, statSync(path).size - 1000),
    verdict: "damaged",
    // What the last page belongs to decides; here it is one of the search index.
    answer: { strategies: ["rebuild_fts", "reclaim_pages"] },
  },
  {
    number: "10a",
    title: "every byte of the file is zero",
    damage: (path) => zeroPage(path, 1, 0, statSync(path).size),
    verdict: "damaged",
    answer: { refused: "unreadable" },
  },
  {
    number: "10b",
    title: "the first 16 bytes of the file are zero",
    damage: (path) => zeroPage(path, 1, 0, 16),
    verdict: "damaged",
    answer: { refused: "unreadable" },
  },
  {
    number: "16",
    title: "the schema is lost: the first page is zeroed behind its header",
    damage: (path) => zeroPage(path, 1, 100),
    verdict: "damaged",
    answer: { refused: "unreadable" },
  },
];

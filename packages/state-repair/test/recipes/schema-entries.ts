import type { Recipe } from "./recipe.js";
import { edit, rootOf } from "./spoil.js";

const GARBAGE = "CREATE TABLE garbage(";

function garbage(path: string, name: string): void {
  edit(path, (database) => {
    database.prepare("UPDATE sqlite_master SET sql = ? WHERE name = ?").run(GARBAGE, name);
  });
}

function twice(path: string, name: string): void {
  edit(path, (database) => {
    database
      .prepare("INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = ?")
      .run(name);
  });
}

function moveRoot(path: string, name: string, to: string): void {
  const root = rootOf(path, to);
  edit(path, (database) => {
    database.prepare("UPDATE sqlite_master SET rootpage = ? WHERE name = ?").run(root, name);
  });
}

/** Entries of the schema table that are doubled, garbage, nameless, or point to somebody else's page. */
export const SCHEMA_ENTRIES: readonly Recipe[] = [
  {
    number: "1a",
    title: "the entry of the search index stands in the schema twice",
    damage: (path) => twice(path, "messages_fts"),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "1b",
    title: "the entry of the sessions stands in the schema twice",
    damage: (path) => twice(path, "sessions"),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "2a",
    title: "the text of an index of the messages is garbage",
    damage: (path) => garbage(path, "idx_messages_session"),
    verdict: "damaged",
    answer: { strategies: ["recreate_index"] },
  },
  {
    number: "2b",
    title: "the text of the table of sessions is garbage",
    damage: (path) => garbage(path, "sessions"),
    verdict: "damaged",
    answer: { refused: "rows-damaged" },
  },
  {
    number: "2c",
    title: "the text of a trigger of the search index is garbage",
    damage: (path) => garbage(path, "messages_fts_insert"),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "2d",
    title: "the text of a display trigger is garbage",
    damage: (path) => garbage(path, "messages_display_order_insert"),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "2e",
    title: "the text of the view behind the search index is garbage",
    damage: (path) => garbage(path, "messages_fts_src"),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "2f",
    title: "the text of the search index itself is garbage",
    damage: (path) => garbage(path, "messages_fts"),
    verdict: "damaged",
    answer: { strategies: ["drop_fts_rebuild"] },
  },
  {
    number: "3",
    title: "an entry of the schema has no name and is no object",
    damage: (path) =>
      edit(path, (database) => database.exec("INSERT INTO sqlite_master VALUES ('table', '', '', 0, 'junk')")),
    verdict: "damaged",
    answer: { strategies: ["dedup_schema"] },
  },
  {
    number: "4a",
    title: "an index begins on the page of the messages",
    damage: (path) => moveRoot(path, "idx_messages_session", "messages"),
    verdict: "damaged",
    answer: { strategies: ["recreate_index"] },
  },
  {
    number: "4b",
    title: "the key of the sessions begins on the page of the messages",
    damage: (path) => moveRoot(path, "sqlite_autoindex_sessions_1", "messages"),
    verdict: "damaged",
    answer: { strategies: ["recreate_index"] },
  },
  {
    number: "4c",
    title: "the sessions begin on the page of the messages, so that messages show as sessions",
    damage: (path) => moveRoot(path, "sessions", "messages"),
    verdict: "damaged",
    answer: { refused: "rows-damaged" },
  },
  {
    number: "7",
    title: "an index missed a row that was written while its entry was gone",
    damage: (path) => drift(path),
    verdict: "damaged",
    answer: { strategies: ["reindex_btree"] },
  },
];

function drift(path: string): void {
  const name = "idx_messages_session";
  let entry: readonly unknown[] = [];
  edit(path, (database) => {
    const sql = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = ?";
    entry = database.prepare(sql).raw().get(name) as unknown[];
    database.prepare("DELETE FROM sqlite_master WHERE name = ?").run(name);
  });
  edit(path, (database) => {
    database.exec(
      "INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'drift', 1 FROM sessions LIMIT 1",
    );
  });
  edit(path, (database) => {
    database.prepare("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)").run(...entry);
  });
}

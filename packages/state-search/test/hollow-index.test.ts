import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { searchIds } from "./helpers/search-ids.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

/** Overwrites the structure record of an index with NUL: it answers everything with nothing, and with no error. */
function hollow(path: string, table: string): void {
  using connection = openMaintenanceConnection(path);
  connection.transaction((w) => {
    w.editSchema(`UPDATE ${table}_data SET block = zeroblob(length(block)) WHERE id = 10`);
  });
}

/** How many indexes an open empties in order to fill them again. */
function emptied(path: string): number {
  let count = 0;
  const note = (event: unknown): void => {
    if ((event as { sql: string }).sql.includes("'delete-all'")) count += 1;
  };
  subscribe("hermes:state:statement", note);
  openStateStore({ path }).close();
  unsubscribe("hermes:state:statement", note);
  return count;
}

describe("an index whose structure record was wiped", () => {
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    it(`P01 SEA-01 SCH-11 is filled again by the next open, before a write could hide it: ${table}`, () => {
      using dir = tempDir("hollow");
      const path = dir.file("state.db");
      {
        using store = openStateStore({ path });
        store.sessions.create({ id: "s", source: "cli" });
        for (let n = 0; n < 4; n++) {
          const rows = Array.from({ length: 150 }, (_, i) => ({ role: "user", content: `early${n}-${i} 数据库连接` }));
          store.messages.appendBatch("s", rows);
        }
      }
      hollow(path, table);
      {
        using reader = openStateStore({ path, mode: "read" });
        expectWords(reader, countWords(reader), "read", 40);
      }
      using store = openStateStore({ path });
      expectWholeIndex(store, "opened again");
      const { id } = store.messages.append("s", { role: "user", content: "later" });
      expect(searchIds(store, "later")).toEqual([id]);
      expectWords(store, countWords(store), "opened again", 40);
    });
  }

  it("SCH-11 messages without a word are no reason to fill an index again and again", () => {
    using dir = tempDir("hollow");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s", source: "cli" });
      for (const content of ["", "…", "--", "中"]) store.messages.append("s", { role: "user", content });
    }
    expect(emptied(path)).toBe(0);
    using store = openStateStore({ path });
    expect(searchIds(store, "中")).toHaveLength(1);
    store.messages.append("s", { role: "user", content: "a word" });
    store.close();
    hollow(path, "messages_fts");
    expect(emptied(path)).toBe(2);
  });
});

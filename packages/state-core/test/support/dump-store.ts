import type { SqlRow } from "@hermes/state-schema";
import type { StateStore } from "../../src/index.js";

const TABLES = `
  SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'messages_fts%' AND name NOT LIKE 'sqlite_stat%' ORDER BY name`;

/** Every row of every table but the search indexes, as stored: two dumps are equal when nothing changed. */
export function dumpStore(store: StateStore): Readonly<Record<string, readonly SqlRow[]>> {
  return store.read((r) => {
    const tables = r.all<{ name: string }>(TABLES);
    return Object.fromEntries(tables.map(({ name }) => [name, r.all(`SELECT rowid AS "#", * FROM "${name}" ORDER BY 1`)]));
  });
}

/** Fails when a search index disagrees with the messages (the engine's rank-1 check). */
export function checkIndexes(store: StateStore): void {
  store.write("check the indexes", (w) => {
    for (const index of ["messages_fts", "messages_fts_trigram"]) {
      w.run(`INSERT INTO ${index}(${index}, rank) VALUES ('integrity-check', 1)`);
    }
  });
}

/** Sessions whose counters are not what their active messages are; none in a store that only this package wrote. */
export function wrongCounters(store: StateStore): readonly SqlRow[] {
  return store.read((r) =>
    r.all(`SELECT s.id, s.message_count AS counted, COUNT(m.id) AS stored,
        s.tool_call_count AS calls, COALESCE(SUM(json_array_length(m.tool_calls)), 0) AS called
      FROM sessions AS s LEFT JOIN messages AS m ON m.session_id = s.id AND m.active = 1
      GROUP BY s.id HAVING counted <> stored OR calls <> called`),
  );
}

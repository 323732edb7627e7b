import type { StateStore } from "@hermes/state-core";
import type { ImportItem } from "@hermes/state-portability";
import { expect } from "vitest";

/** Messages by session. */
export type Counts = ReadonlyMap<string, number>;

const COUNTS = `SELECT s.id, (SELECT COUNT(1) FROM messages AS m WHERE m.session_id = s.id) AS messages
  FROM sessions AS s`;

/** How many rows each session has. */
export function countsOf(store: StateStore): Counts {
  const rows = store.read((r) => r.all<{ id: string; messages: number }>(COUNTS));
  return new Map(rows.map(({ id, messages }) => [id, messages]));
}

/** What a store should hold after an import told these things. */
export function expectedAfter(before: Counts, items: readonly ImportItem[]): Counts {
  const counts = new Map(before);
  for (const { outcome, sessionId, storedAs, messages } of items) {
    const id = (storedAs ?? sessionId).toWellFormed();
    if (outcome === "grown") counts.set(id, (counts.get(id) ?? 0) + messages);
    else if (outcome === "imported" || outcome === "replaced") counts.set(id, messages);
  }
  return counts;
}

const ORPHANS = "SELECT id FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)";
const MISCOUNTED = `SELECT id FROM sessions AS s
  WHERE message_count IS NOT (SELECT COUNT(1) FROM messages AS m WHERE m.session_id = s.id AND m.active = 1)`;

/** The indexes agree with the rows, no row is without its session, and every counter is right. */
export function checkStore(store: StateStore): void {
  const found = store.write("check", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"])
      w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    return [
      w.all("PRAGMA foreign_key_check"),
      w.all("SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'"),
      w.all(ORPHANS),
      w.all(MISCOUNTED),
    ];
  });
  expect(found).toEqual([[], [], [], []]);
}

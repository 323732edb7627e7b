import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStateStore } from "../store/open-state-store.js";

const COUNT = "SELECT COUNT(*) AS n FROM sessions";

it.each(["wal", "delete"] as const)(
  "COR-05 a read sees one state of the store from its first statement to its last (%s)",
  (journal) => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-snapshot-"));
    try {
      using store = openStateStore({
        path: join(folder, "state.db"),
        journal,
        patience: { transcript: 50, routine: 50 },
      });
      store.sessions.create({ id: "a", source: "cli" });
      const seen = store.read((r) => {
        const before = r.get<{ n: number }>(COUNT)?.n;
        // A rollback journal lets nobody commit while somebody reads; a log lets the reader keep its state.
        if (journal === "wal") store.sessions.create({ id: "b", source: "cli" });
        return [before, r.get<{ n: number }>(COUNT)?.n];
      });
      expect(seen).toEqual([1, 1]);
      expect(store.read((r) => r.get<{ n: number }>(COUNT)?.n)).toBe(journal === "wal" ? 2 : 1);
      expect(() => store.read((r) => r.get("SELECT nothing FROM nowhere"))).toThrow();
      expect(store.read((r) => r.get<{ n: number }>(COUNT)?.n)).toBe(journal === "wal" ? 2 : 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

import { describe, expect, it } from "vitest";
import {
  buildOldStore,
  copyPeerFile,
  describePeer,
  describePython,
  hashRows,
  historicColumns,
  openPeerDatabase,
  startPythonPeer,
  tempDir,
} from "../src/index.js";

const VERSIONS = [2, 4, 6, 8, 11, 14, 16, 20, 22, 23, 25, 26, 30];

describePython("old store builder", () => {
  it.each(VERSIONS)("SCH-05 builds a version %i store whose indexes agree with its rows", async (version) => {
    using dir = tempDir("old");
    const path = buildOldStore(dir.file("state.db"), version, { sessions: 2, messages: 8 });
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    expect(await db.sql("SELECT version FROM schema_version")).toEqual([{ version }]);
    expect(await db.sql("SELECT count(*) AS n FROM messages")).toEqual([{ n: 16 }]);
    expect(await db.sql("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(await db.ftsCheck("messages_fts")).toBe("ok");
    if (version >= 11) expect(await db.ftsCheck("messages_fts_trigram")).toBe("ok");
    expect(await db.sql("SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'flaky'")).toEqual([{ n: 4 }]);
  });

  it("SCH-05 builds every layout on demand", async () => {
    await using peer = await startPythonPeer();
    for (const fts of ["none", "content-only", "mixed", 0, 1, 2, 3] as const) {
      using dir = tempDir("old");
      const db = await openPeerDatabase(peer, buildOldStore(dir.file("state.db"), 26, { fts, messages: 8 }));
      const [row] = await db.sql<{ n: number }>("SELECT count(*) AS n FROM sqlite_master WHERE type = 'trigger'");
      expect([fts, row?.n]).toEqual([fts, fts === "none" ? 0 : fts === "content-only" ? 3 : 6]);
      await db.close();
    }
  });

  it("SEA-08 leaves rows behind the markers of a pending build out of the index", async () => {
    using dir = tempDir("old");
    const pending = { progress: 4, highWater: 8 };
    const path = buildOldStore(dir.file("state.db"), 26, { sessions: 1, messages: 12, pending });
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    const rows = await db.sql<{ id: number }>("SELECT id FROM messages_fts_docsize ORDER BY id");
    expect(rows.map((row) => row.id)).toEqual([1, 2, 3, 4, 9, 10, 11, 12]);
  });
});

describePeer("old store builder beside real files", () => {
  it.each([2, 4, 6, 8, 11, 14, 16, 20, 22, 23, 26])("SCH-12 knows the columns of a real version %i file", (version) => {
    using dir = tempDir("old");
    const { shape } = hashRows(copyPeerFile(`peer-v${String(version).padStart(2, "0")}.db`, dir));
    for (const table of ["sessions", "messages", "session_model_usage", "async_delegations", "state_meta"]) {
      expect([...historicColumns(table, version)].sort(), table).toEqual([...(shape[table] ?? [])].sort());
    }
  });
});

describe("historic columns", () => {
  it("SCH-12 gives no columns to a table that a version lacks", () => {
    expect(historicColumns("state_meta", 6)).toEqual([]);
    expect(historicColumns("sessions", 2)).toHaveLength(14);
  });
});

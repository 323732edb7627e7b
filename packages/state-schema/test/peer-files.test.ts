import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  columnsAt,
  detectFtsLayout,
  initializeSchema,
  knownColumnCounts,
  planReadOverlay,
  probeSchema,
  TABLES,
  type FtsLayout,
} from "../src/index.js";
import { copyPeerFile, describePeer, expectedPath, PEER_FILES } from "./config/peer-folder.js";
import { runPython } from "./python.js";
import { hashRows, shapeOf } from "./row-hashes.js";
import { tempFolder } from "./temp-files.js";
import { openTestHost, type TestHost } from "./test-host.js";

const LAYOUTS: Readonly<Record<string, FtsLayout>> = {
  "peer-v02": "content-only",
  "peer-v04": "content-only",
  "peer-v06": "content-only",
  "peer-v08": "content-only",
  "peer-v11": 0,
  "peer-v14": 0,
  "peer-v16": 0,
  "peer-v20": 0,
  "peer-v22": 0,
  "peer-v23": 1,
  "peer-v26": 1,
  "peer-v30-hybrid": 3,
  "peer-v26-from-v22": 0,
  "peer-v26-from-v04-direct": "mixed",
  "peer-v26-from-v04-chain": 0,
  "peer-v26-rebuild-pending": 1,
  "peer-small": 1,
};

/** What data migrations change on purpose; checked by meaning instead of by byte. */
const MIGRATED: ReadonlySet<string> = new Set([
  "schema_version.version",
  "sessions.model_config",
  "sessions.system_prompt",
  "sessions.system_prompt_hash",
]);

/** Tables that an open adds rows to: only what was there is compared. */
const GROWING: ReadonlySet<string> = new Set(["state_meta", "system_prompts", "session_model_usage"]);

describePeer("files of real peers", () => {
  describe.each(PEER_FILES)("%s", (name) => {
    it("SCH-05 has the layout its objects show", () => {
      using folder = tempFolder();
      using host = openTestHost(copyPeerFile(name, folder));
      expect(detectFtsLayout(host)).toBe(LAYOUTS[name]);
    });

    it("SCH-12 has column counts that the model knows, in the order the model remembers", () => {
      using folder = tempFolder();
      using host = openTestHost(copyPeerFile(name, folder));
      const shape = shapeOf(host);
      for (const model of [TABLES.sessions, TABLES.messages]) {
        const columns = shape.get(model.name) ?? [];
        expect(knownColumnCounts(model)).toContain(columns.length);
        if (name.includes("-from-") || name.includes("pending")) continue;
        const since = model.columns
          .map((column) => column.since)
          .find((at) => columnsAt(model, at).length === columns.length);
        expect(columns).toEqual(columnsAt(model, since ?? 0).map((column) => column.name));
      }
    });

    it("SCH-02 SCH-04 opens, upgrades and keeps every row byte for byte; the second open only reads", () => {
      using folder = tempFolder();
      using host = openTestHost(copyPeerFile(name, folder));
      const shape = shapeOf(host);
      const before = snapshot(host, shape);
      const report = initializeSchema(host);
      expect(report).toMatchObject({ versionAfter: 30, pausedAt: undefined, problems: [], layout: LAYOUTS[name] });
      expect(report.index.restored).toBeUndefined();
      expect(probeSchema(host).current).toBe(true);
      expect(snapshot(host, shape)).toEqual(before);
      const opens = host.transactions.length;
      initializeSchema(host);
      expect(host.transactions.slice(opens)).toEqual([]);
    });

    it("SCH-05 finds the same rows through its indexes as the peer did", () => {
      using folder = tempFolder();
      using host = openTestHost(copyPeerFile(name, folder));
      initializeSchema(host);
      const expected = JSON.parse(readFileSync(expectedPath(name), "utf8")) as ExpectedFile;
      const recorded = Object.entries(expected.info.raw_fts_match_rowids ?? {});
      if (name !== "peer-small") expect(recorded.length).toBeGreaterThan(0);
      for (const [table, terms] of recorded) {
        for (const [term, rows] of Object.entries(terms)) {
          if (!Array.isArray(rows)) continue;
          const match = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`;
          expect(host.db.prepare(match).pluck().all(term), `${table}: ${term}`).toEqual(rows);
        }
      }
    });

    it("SCH-10 is read in the newest shape without being touched", () => {
      using folder = tempFolder();
      using host = openTestHost(copyPeerFile(name, folder));
      for (const sql of planReadOverlay(host)) host.db.exec(sql);
      host.db.pragma("query_only = ON");
      for (const table of [TABLES.sessions, TABLES.messages]) {
        const columns = table.columns.map((column) => `t."${column.name}"`).join(", ");
        const rows = host.tuples(`SELECT ${columns} FROM ${table.name} AS t`);
        expect(rows).toHaveLength(host.db.prepare(`SELECT COUNT(*) FROM main.${table.name}`).pluck().get() as number);
      }
      expect(host.db.prepare("SELECT COUNT(*) FROM messages WHERE active IS NULL").pluck().get()).toBe(0);
    });

    it("GND-02 T17 still opens in Python afterwards: a row goes in, the file is no worse than before", () => {
      using folder = tempFolder();
      const path = copyPeerFile(name, folder);
      const before = python(path, "check");
      {
        using host = openTestHost(path);
        initializeSchema(host);
      }
      const after = python(path, "append");
      expect(after.added).toBe(1);
      expect(after.foreignKeys).toEqual(before.foreignKeys);
      if (before.integrity === "ok") expect(after.integrity).toBe("ok");
      for (const [table, health] of Object.entries(before.indexes)) {
        if (health === "ok") expect([table, after.indexes[table]]).toEqual([table, "ok"]);
      }
    });

    it("GND-01 T18 keeps the header fields user_version and application_id", () => {
      using folder = tempFolder();
      const path = copyPeerFile(name, folder);
      const fields = (): unknown => {
        const bytes = readFileSync(path);
        return [bytes.subarray(60, 64).toString("hex"), bytes.subarray(68, 72).toString("hex")];
      };
      const before = fields();
      {
        using host = openTestHost(path);
        initializeSchema(host);
        host.db.pragma("wal_checkpoint(PASSIVE)");
      }
      expect(fields()).toEqual(before);
    });
  });

  it("GND-01 T17 a version-25 peer's statements go on working on the upgraded file", () => {
    using folder = tempFolder();
    using host = openTestHost(copyPeerFile("peer-small", folder));
    const shape = shapeOf(host);
    initializeSchema(host);
    const columns = (shape.get("messages") ?? []).filter((column) => column !== "id").join(", ");
    host.db.exec(`INSERT INTO messages (${columns}) SELECT ${columns} FROM messages WHERE id = 1`);
    for (const [table, names] of shape) host.tuples(`SELECT ${names.map((n) => `"${n}"`).join(", ")} FROM "${table}"`);
    host.db.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  });
});

interface ExpectedFile {
  readonly info: { readonly raw_fts_match_rowids?: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

/** Everything that must not change: bytes of cells, and the meaning of those that move. */
function snapshot(host: TestHost, shape: ReturnType<typeof shapeOf>): unknown {
  const hashes = Object.entries(hashRows(host, shape)).filter(
    ([column]) => !MIGRATED.has(column) && !GROWING.has(column.split(".")[0] ?? ""),
  );
  return { hashes, prompts: prompts(host, shape), configs: configs(host), kept: kept(host, shape) };
}

function prompts(host: TestHost, shape: ReturnType<typeof shapeOf>): unknown {
  const moved = (shape.get("sessions") ?? []).includes("system_prompt_hash") || hasColumn(host, "system_prompt_hash");
  const join = moved ? "LEFT JOIN system_prompts AS p ON p.hash = s.system_prompt_hash" : "";
  const text = moved ? "COALESCE(p.prompt, s.system_prompt)" : "s.system_prompt";
  return host.all(`SELECT s.id, hex(${text}) AS bytes FROM sessions AS s ${join} ORDER BY s.id`);
}

function configs(host: TestHost): unknown {
  const rows = host.all<{ id: string; config: string | null }>(
    "SELECT id, model_config AS config FROM sessions ORDER BY id",
  );
  return rows.map(({ id, config }) => {
    if (config === null) return [id, {}];
    const { _delegate_from: _, ...rest } = JSON.parse(config) as Record<string, unknown>;
    return [id, rest];
  });
}

/** Rows of growing tables that the file came with. */
function kept(host: TestHost, shape: ReturnType<typeof shapeOf>): unknown {
  return [...GROWING].flatMap((table) => {
    const columns = shape.get(table);
    if (columns === undefined) return [];
    const list = columns.map((column) => `"${column}"`).join(", ");
    const own =
      table === "state_meta" ? "WHERE key NOT LIKE 'fts\\_%' ESCAPE '\\' AND key <> 'db_file_generation'" : "";
    const limit = table === "system_prompts" ? "WHERE hash IN (SELECT system_prompt_hash FROM sessions)" : own;
    return [[table, host.tuples(`SELECT ${list} FROM ${table} ${limit} ORDER BY 1, 2`)]];
  });
}

function hasColumn(host: TestHost, column: string): boolean {
  return host.all("SELECT 1 AS one FROM pragma_table_info('sessions') WHERE name = ?", [column]).length === 1;
}

interface PythonAnswer {
  readonly added: number;
  readonly integrity: string;
  readonly foreignKeys: readonly unknown[];
  readonly indexes: Readonly<Record<string, string>>;
}

function python(path: string, action: "check" | "append"): PythonAnswer {
  return runPython<PythonAnswer>(
    `
import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("PRAGMA foreign_keys=ON")
added = 0
if sys.argv[2] == "append":
    c.execute("BEGIN IMMEDIATE")
    session = c.execute("SELECT id FROM sessions ORDER BY id LIMIT 1").fetchone()[0]
    added = c.execute("INSERT INTO messages (session_id, role, content, timestamp, active) VALUES (?, 'user', 'pythonword', 5.5, 1)", (session,)).rowcount
    c.execute("COMMIT")
indexes = {}
for table in ("messages_fts", "messages_fts_trigram"):
    try:
        c.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
        indexes[table] = "ok"
    except sqlite3.Error as error:
        indexes[table] = str(error)
print(json.dumps({
    "added": added,
    "integrity": c.execute("PRAGMA integrity_check").fetchone()[0],
    "foreignKeys": c.execute("PRAGMA foreign_key_check").fetchall(),
    "indexes": indexes,
}))
`,
    path,
    action,
  );
}

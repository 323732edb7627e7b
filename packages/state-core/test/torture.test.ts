import { describePython, openPeerDatabase, seedFor, spawnNode, startPythonPeer, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import type { PeerDatabase } from "@hermes/testkit";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

/** Long enough to mix everything; the whole minute is run where `HERMES_TORTURE_SECONDS` asks for it. */
const SECONDS = Number(process.env["HERMES_TORTURE_SECONDS"] ?? 10);

interface Outcome {
  readonly acknowledged: readonly string[];
  readonly deleted: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly unexpected: readonly string[];
}

const VISIBLE = `
  SELECT session_id AS sessionId, content, COUNT(*) AS copies FROM messages
  WHERE active = 1 OR compacted = 1 GROUP BY session_id, content`;

const WRONG_COUNTERS = `
  SELECT s.id AS id, s.message_count AS counted, COUNT(m.id) AS live
  FROM sessions AS s LEFT JOIN messages AS m ON m.session_id = s.id AND m.active = 1
  GROUP BY s.id HAVING counted <> live`;

async function torture(path: string, name: string, seed: number): Promise<Outcome> {
  const args = [path, name, String(SECONDS), String(seed)];
  const child = spawnNode(childScript("torture-worker.mjs"), args, { timeout: (SECONDS + 60) * 1000 });
  const { stdout, stderr, code } = await child.exit;
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null") as Outcome;
}

/** What the peer does besides appending, in its own statements: each list is one transaction, `?` the round. */
const PEER_WORK: readonly (readonly string[])[] = [
  [
    "UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 'python' AND active = 1",
    "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('python', 'user', 'summary', 1.5, 1)",
    "UPDATE sessions SET message_count = 1 WHERE id = 'python'",
    "UPDATE messages SET content = 'summary ' || id WHERE id = last_insert_rowid()",
  ],
  ["UPDATE sessions SET title = 'python ' || message_count, title_source = 'user' WHERE id = 'python'"],
  [
    "INSERT INTO sessions (id, source, started_at, message_count) VALUES ('python-gone', 'peer', 1.5, 1)",
    "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('python-gone', 'user', '数据库', 1.5, 1)",
    "DELETE FROM messages WHERE session_id = 'python-gone'",
    "DELETE FROM sessions WHERE id = 'python-gone'",
  ],
  [
    "INSERT INTO sessions (id, source, started_at, message_count) VALUES ('rotated-?', 'peer', 1.5, 1)",
    "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('rotated-?', 'user', 'a ?', 1.5, 1)",
    "INSERT INTO sessions (id, source, started_at, message_count, parent_session_id) VALUES ('next-?', 'peer', 2.5, 1, 'rotated-?')",
    "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('next-?', 'user', 'b ?', 2.5, 1)",
    "UPDATE sessions SET ended_at = 2.5, end_reason = 'compression' WHERE id = 'rotated-?'",
  ],
  ["SELECT id FROM sessions WHERE archived = 0 ORDER BY started_at DESC LIMIT 20"],
];

/** Appends and works in turn until the time is up; what it appended comes back. */
async function peerWork(db: PeerDatabase): Promise<string[]> {
  const end = performance.now() + SECONDS * 1000;
  const stored: string[] = [];
  for (let round = 0; performance.now() < end; round++) {
    await db.appendMany("python", 20, `python ${String(round)} 数据库 orchid`, 5).done;
    for (let row = 0; row < 20; row++) stored.push(`python ${String(round)} 数据库 orchid ${String(row)}`);
    await db.sql("BEGIN IMMEDIATE");
    for (const statement of PEER_WORK[round % PEER_WORK.length] ?? [])
      await db.sql(statement.replaceAll("?", String(round)));
    await db.sql("COMMIT");
  }
  return stored;
}

describePython("two Node processes and one Python process on one file", () => {
  it(
    `GND-02 GND-03 T12 keep every acknowledged row exactly once through ${String(SECONDS)} s of everything at once`,
    async () => {
      using dir = tempDir("torture");
      const path = dir.file("state.db");
      const seed = seedFor("torture");
      {
        using store = openStateStore({ path });
        store.sessions.create({ id: "shared", source: "test" });
        store.sessions.create({ id: "python", source: "test" });
      }
      await using peer = await startPythonPeer();
      const python = await openPeerDatabase(peer, path, { timeoutSeconds: 30 });
      const [theirs, ...outcomes] = await Promise.all([
        peerWork(python),
        torture(path, "ada", seed),
        torture(path, "bob", seed + 1),
      ]);

      for (const outcome of outcomes) {
        expect(outcome.unexpected).toEqual([]);
        // Every kind of work was really done.
        expect(Object.keys(outcome.counts).sort()).toContain("rotate");
        expect(outcome.acknowledged.length).toBeGreaterThan(50);
      }
      using store = openStateStore({ path });
      const rows = store.read((r) => r.all<{ sessionId: string; content: string; copies: number }>(VISIBLE));
      expect(rows.filter(({ copies }) => copies > 1)).toEqual([]);
      const stored = new Set(rows.map(({ content }) => content));
      for (const { acknowledged } of outcomes)
        expect(acknowledged.filter((content) => !stored.has(content))).toEqual([]);
      const rotated = store.read((r) => r.tuples<[string]>("SELECT id FROM sessions WHERE id LIKE 'rotated-%'").flat());
      expect(rotated.length).toBeGreaterThan(0);
      for (const id of rotated) expect(store.lineage.tip(id)).toBe(id.replace("rotated", "next"));
      expect(theirs.filter((content) => !stored.has(content))).toEqual([]);
      for (const id of outcomes.flatMap(({ deleted }) => deleted)) expect(store.sessions.find(id)).toBeUndefined();
      expect(store.read((r) => r.all(WRONG_COUNTERS))).toEqual([]);
      expect(store.read((r) => r.tuples("PRAGMA integrity_check"))).toEqual([["ok"]]);
      store.close();
      for (const table of ["messages_fts", "messages_fts_trigram"]) expect(await python.ftsCheck(table)).toBe("ok");
      await python.close();
    },
    (SECONDS + 90) * 1000,
  );
});

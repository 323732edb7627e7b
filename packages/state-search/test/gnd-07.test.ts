import { openStateStore, type StateStore } from "@hermes/state-core";
import { FTS_TABLE, type Writer } from "@hermes/state-schema";
import {
  describePython,
  openPeerDatabase,
  type PeerDatabase,
  type PythonPeer,
  startPythonPeer,
  tempDir,
} from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseQuery, rebuildIndexes } from "../src/index.js";
import { relayout } from "./helpers/index-states.js";
import { judgedIds } from "./helpers/reference.js";
import { searchIds } from "./helpers/search-ids.js";

const structured = (text: string): readonly object[] => [
  { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  { type: "text", text },
];
const CALLS = [
  { id: "c1", type: "function", function: { name: "grep_repo", arguments: '{"path": "/srv/zebra.conf"}' } },
];

/** A row of each kind, before and after it is edited, in the file's own column names. */
const KINDS = {
  structured: {
    role: "user",
    before: structured("quokka 大别山项目的进展"),
    after: structured("okapi 漓江山水甲天下"),
  },
  becomesPlain: { role: "assistant", before: structured("quokka 大别山项目的进展"), after: "okapi 漓江山水甲天下" },
  becomesStructured: { role: "user", before: "quokka 大别山项目的进展", after: structured("okapi 漓江山水甲天下") },
  structuredTool: {
    role: "tool",
    before: structured("quokka 大别山项目的进展"),
    after: structured("okapi 漓江山水甲天下"),
  },
  plain: { role: "user", before: "quokka crème 大别山项目的进展", after: "okapi naïve 漓江山水甲天下" },
  tool: { role: "tool", before: "quokka 大别山项目的进展", after: "okapi 漓江山水甲天下" },
} as const;

const QUERIES = [
  "quokka",
  "大别山",
  "大别",
  "okapi",
  "漓江山水",
  "漓",
  "grep_repo",
  "zebra",
  "filler",
  "填充内容",
  "image_url",
  "quokka OR okapi",
];

/** Enough words that no removal by the other library takes more from the totals of an index than is in them. */
const LONG = "lorem ipsum dolor sit amet ".repeat(20);
/** What the engine says of an index that another library wrote, in a file where nothing is wrong (scope of GND-07). */
const OTHER_LIBRARY = "malformed inverted index for FTS5 table main.messages_fts_trigram";

function stored(content: string | readonly object[]): string {
  return typeof content === "string" ? content : `\0json:${JSON.stringify(content)}`;
}

/** One of the two libraries, writing the file. */
interface Side {
  append(row: { role: string; content: string | readonly object[]; calls: boolean }): Promise<number>;
  edit(id: number, content: string): Promise<void>;
  remove(id: number): Promise<void>;
}

const UPDATE = "UPDATE messages SET content = ? WHERE id = ?";
const DELETE = "DELETE FROM messages WHERE id = ?";

function python(db: PeerDatabase): Side {
  return {
    append: ({ role, content, calls }) =>
      db.append("s1", {
        role,
        content,
        ...(role === "tool" && { tool_name: "grep_repo" }),
        ...(calls && { tool_calls: CALLS }),
      }),
    edit: async (id, content) => {
      await db.sql(UPDATE, [content, id]);
    },
    remove: async (id) => {
      await db.sql(DELETE, [id]);
    },
  };
}

function ours(store: StateStore): Side {
  return {
    append: ({ role, content, calls }) => {
      const message = { role, content: content as never, ...(role === "tool" && { toolName: "grep_repo" }) };
      return Promise.resolve(store.messages.append("s1", { ...message, ...(calls && { toolCalls: CALLS }) }).id);
    },
    edit: (id, content) => {
      store.write("test: edit", (w) => w.run(UPDATE, [content, id]));
      return Promise.resolve();
    },
    remove: (id) => {
      store.write("test: remove", (w) => w.run(DELETE, [id]));
      return Promise.resolve();
    },
  };
}

function expectRightAnswers(store: StateStore, where: string): void {
  for (const query of QUERIES) {
    const { root } = parseQuery(query);
    expect(searchIds(store, query), `${where}: ${query}`).toEqual(root ? judgedIds(store, root) : []);
  }
}

const CHECK =
  (table: string) =>
  (w: Writer): void => {
    w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  };
/** Plain rows that the trigram index of every layout admits, each with three letters of its own text. */
const PLAIN_ROWS = `
  SELECT id, substr(content, 1, 6) AS term FROM messages
  WHERE role <> 'tool' AND instr(content, char(0)) = 0 AND content <> '' ORDER BY id`;
const MISSING = (table: string): string => `
  SELECT id FROM (${PLAIN_ROWS}) AS m WHERE NOT EXISTS (SELECT 1 FROM ${table}_docsize AS size WHERE size.id = m.id)`;
const GHOSTS = (table: string): string => `
  SELECT id FROM ${table}_docsize WHERE id NOT IN (SELECT id FROM messages)`;

/**
 * Coverage row by row: the rank-1 check of the trigram index says nothing about a file with structured rows, since the
 * two libraries cut such text differently.
 */
function expectCovered(store: StateStore, where: string): void {
  store.write("test: check the word index", CHECK(FTS_TABLE.word));
  for (const table of [FTS_TABLE.word, FTS_TABLE.trigram]) {
    expect(
      store.read((r) => r.all(MISSING(table))),
      where,
    ).toEqual([]);
    expect(
      store.read((r) => r.all(GHOSTS(table))),
      where,
    ).toEqual([]);
  }
  const { trigram } = FTS_TABLE;
  for (const { id, term } of store.read((r) => r.all<{ id: number; term: string }>(PLAIN_ROWS))) {
    const sql = `SELECT rowid FROM ${trigram} WHERE ${trigram} MATCH ? AND rowid = CAST(? AS INTEGER)`;
    expect(
      store.read((r) => r.all(sql, [`"${term}"`, id])),
      where,
    ).toHaveLength(1);
  }
}

/** Whether the index was given up; a file with few rows has totals that the other library's words exceed. */
function isStale(store: StateStore): boolean {
  return store.meta.get("fts_stale") === "1";
}

describePython("Python's SQLite and ours on one file", () => {
  let peer: PythonPeer;

  beforeAll(async () => {
    peer = await startPythonPeer();
  });

  afterAll(async () => {
    await peer.stop();
  });

  /** Lays rows of every kind by one side, changes them by the other; checks after each step. */
  async function changeByOther(first: "python" | "ours", layout: 0 | 1 | 2 | 3, fillers: number): Promise<boolean> {
    using dir = tempDir("gnd-07");
    const path = dir.file("state.db");
    const where = `${first} first, layout ${String(layout)}`;
    let stale: boolean;
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "cli" });
      if (layout !== 3) relayout(store, layout);
      const db = await openPeerDatabase(peer, path);
      const filler = Array.from({ length: fillers }, (_, n) => ({
        role: "user",
        content: `filler ${String(n)} 填充内容 ${LONG}`,
      }));
      store.messages.appendBatch("s1", filler);
      const [inserting, changing] = first === "python" ? [python(db), ours(store)] : [ours(store), python(db)];
      const edited: [number, string][] = [];
      const removed: number[] = [];
      for (const { role, before, after } of Object.values(KINDS)) {
        const row = { role, content: before, calls: role === "assistant" };
        edited.push([await inserting.append(row), stored(after)]);
        removed.push(await inserting.append(row));
        await inserting.append(row); // and one that stays
      }
      expectRightAnswers(store, `${where}, inserted`);
      expect(isStale(store)).toBe(false);
      for (const [id, content] of edited) await changing.edit(id, content);
      expectRightAnswers(store, `${where}, updated`);
      for (const id of removed) await changing.remove(id);
      expectRightAnswers(store, `${where}, deleted`);
      for (const id of edited) await changing.remove(id[0]);
      const kept = await inserting.append({ role: "user", content: structured("quokka again"), calls: false });
      expect(searchIds(store, "again")).toEqual([kept]);
      stale = isStale(store);
      if (!stale) expectCovered(store, where);
      const lines = store.read((r) => r.tuples<[string]>("PRAGMA quick_check")).flat();
      expect(lines.filter((line) => line !== "ok" && line !== OTHER_LIBRARY)).toEqual([]);
      await db.close();
    }
    using store = openStateStore({ path });
    expectRightAnswers(store, `${where}, reopened`);
    expect(isStale(store)).toBe(false);
    expectCovered(store, `${where}, reopened`);
    // A rebuild ends every difference between the two libraries, as ours sees it.
    expect(await rebuildIndexes(store, { pauseMs: 0 })).toMatchObject({ ok: true, pending: false });
    for (const table of [FTS_TABLE.word, FTS_TABLE.trigram]) store.write("test: check", CHECK(table));
    expectRightAnswers(store, `${where}, rebuilt`);
    store.messages.append("s1", { role: "user", content: structured("appended later") as never });
    expect(searchIds(store, "later")).toHaveLength(1);
    return stale;
  }

  for (const layout of [3, 2, 1, 0] as const) {
    for (const first of ["python", "ours"] as const) {
      const [from, by] = first === "python" ? ["Python", "us"] : ["us", "Python"];
      it(`GND-07 rows inserted by ${from}, updated and deleted by ${by}, leave layout ${String(layout)} right`, async () => {
        expect(await changeByOther(first, layout, 40)).toBe(false);
      });
    }
  }

  it("GND-07 an index whose totals the other library's words exceed is declared stale, and rebuilt at the next open", async () => {
    expect(await changeByOther("python", 3, 0)).toBe(true);
  });
});

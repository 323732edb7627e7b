import { copyFileSync } from "node:fs";
import {
  buildOldStore,
  describePython,
  hashRows,
  historicColumns,
  seedFor,
  tempDir,
  testRandom,
} from "@hermes/testkit";
import type { RowHashes } from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { startWorker } from "./worker.js";
import type { Worker } from "./worker.js";

const PROCESSES = 16;
const ROUNDS = 30;
const VERSIONS = [2, 11, 22] as const;

/** What the migrations on the way are meant to touch; everything else must come through as it was. */
const INTENDED = [
  "schema_version",
  "state_meta",
  "session_model_usage",
  "sessions.system_prompt",
  "sessions.model_config",
];

interface Seen {
  readonly columns: readonly string[];
  readonly objects: readonly string[];
  readonly version: number | undefined;
  readonly ftsLayout: unknown;
}

function look(path: string): Seen {
  using store = openStateStore({ path, mode: "read" });
  const { schemaVersion, ftsLayout } = store.info();
  return store.read((r) => ({
    version: schemaVersion,
    ftsLayout,
    columns: ["sessions", "messages"].flatMap((table) =>
      r.all<{ name: string }>(`PRAGMA table_info(${table})`).map((row) => `${table}.${row.name}`),
    ),
    objects: r
      .all<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
      .map((row) => row.name),
  }));
}

/** What one process alone makes of the file: the measure for sixteen at once. */
function upgradedAlone(source: string, path: string): Seen {
  copyFileSync(source, path);
  openStateStore({ path }).close();
  return look(path);
}

describePython("an old file opened by many processes at once", () => {
  it(`P11 SCH-02 SCH-04 ${String(PROCESSES)} processes, ${String(ROUNDS)} rounds, one killed in each`, async () => {
    using dir = tempDir("upgrade");
    const random = testRandom(seedFor("P11"));
    const workers: Worker[] = await Promise.all(Array.from({ length: PROCESSES }, () => startWorker(150_000)));
    try {
      const sources = VERSIONS.map((version) => {
        const source = buildOldStore(dir.file(`v${String(version)}.db`), version, { sessions: 3, messages: 12 });
        const before = hashRows(source, { exclude: INTENDED });
        return { version, source, before, alone: upgradedAlone(source, dir.file(`alone-${String(version)}.db`)) };
      });
      for (let round = 0; round < ROUNDS; round++) {
        const { version, source, before, alone } = sources[round % sources.length] as (typeof sources)[number];
        const context = `round ${String(round)}, version ${String(version)}`;
        const path = dir.file(`round-${String(round)}.db`);
        copyFileSync(source, path);
        const victim = random.int(0, PROCESSES - 1);
        const opens = workers.map((worker) => worker.call<Record<string, unknown>>("open", { path }));
        const outcomes = Promise.allSettled(opens);
        await new Promise((resolve) => setTimeout(resolve, random.int(0, 60)));
        workers[victim]?.kill();
        for (const [index, outcome] of (await outcomes).entries()) {
          if (index === victim) continue;
          expect(outcome, `${context}, process ${String(index)}`).toMatchObject({
            status: "fulfilled",
            value: { schemaVersion: alone.version, ftsLayout: alone.ftsLayout },
          });
        }
        await workers[victim]?.gone;
        workers[victim] = await startWorker(150_000);
        await Promise.all(workers.map((worker) => worker.call("close")));
        expect(look(path), context).toEqual(alone);
        expectKept(path, before, context);
        expectIndexed(path);
      }
      for (const { version, alone } of sources) expectComplete(alone, version);
    } finally {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    }
  }, 150_000);
});

function expectKept(path: string, before: RowHashes, context: string): void {
  const after = hashRows(path, { shape: before.shape });
  expect(after.counts, context).toEqual(before.counts);
  expect(after.hashes, context).toEqual(before.hashes);
}

/** The word index agrees with the rows: the rank-1 form of its own check. */
function expectIndexed(path: string): void {
  using store = openStateStore({ path });
  store.write("check the index", (w) => {
    w.run("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  });
  const found = store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'flaky'"));
  expect(found).toHaveLength(9);
}

/** The upgraded file has all columns, old and new, each once. */
function expectComplete(seen: Seen, version: number): void {
  expect(new Set(seen.columns).size).toBe(seen.columns.length);
  for (const table of ["sessions", "messages"]) {
    const all = new Set([...historicColumns(table, version), ...historicColumns(table, 30)]);
    for (const column of all) expect(seen.columns).toContain(`${table}.${column}`);
  }
  expect(seen.columns.filter((column) => column.startsWith("sessions."))).toHaveLength(62);
  expect(seen.columns.filter((column) => column.startsWith("messages."))).toHaveLength(30);
  expect(seen.version).toBe(30);
}

import type { StateStore } from "@hermes/state-core";
import {
  ALL_FTS_TRIGGERS,
  createFtsObjects,
  type CreatableLayout,
  detachFts,
  ftsObjects,
  type FtsHalfObjects,
  type Writer,
} from "@hermes/state-schema";
import type { SearchableStore } from "../../src/index.js";

/** A state that the index of a file can be in, and how to bring a store there. */
export interface IndexStateCase {
  readonly name: string;
  /** Changes the file, or only what the store says it can do; returns what to search. */
  enter(store: StateStore): SearchableStore;
}

function halves(layout: CreatableLayout): FtsHalfObjects[] {
  const { word, trigram } = ftsObjects(layout);
  return trigram ? [word, trigram] : [word];
}

function fill(w: Writer, half: FtsHalfObjects, upTo: number): void {
  const columns = half.columns.join(", ");
  w.run(
    `INSERT INTO ${half.table.name}(rowid, ${columns}) SELECT id, ${columns} FROM ${half.source} WHERE id <= ?`,
    [upTo],
  );
}

function dropIndexes(w: Writer): void {
  for (const name of ALL_FTS_TRIGGERS) w.exec(`DROP TRIGGER IF EXISTS ${name}`);
  for (const name of ["messages_fts", "messages_fts_trigram"]) {
    w.exec(`DROP TABLE IF EXISTS ${name}`);
    w.exec(`DROP VIEW IF EXISTS ${name}_src`);
  }
  w.run("DELETE FROM state_meta WHERE key LIKE 'fts\\_%' ESCAPE '\\'");
}

/** Gives a store the indexes of a layout, filled. */
export function relayout(store: StateStore, layout: CreatableLayout): void {
  store.write("test: lay the index out", (w) => {
    dropIndexes(w);
    createFtsObjects(w, layout);
    for (const half of halves(layout)) fill(w, half, Number.MAX_SAFE_INTEGER);
  });
}

/** Puts a backfill in the middle: rows up to `progress` are indexed, the others not. */
export function pauseBackfill(store: StateStore, progress: number): void {
  store.write("test: pause a backfill", (w) => {
    dropIndexes(w);
    createFtsObjects(w, 3);
    for (const half of halves(3)) fill(w, half, progress);
    const highWater = w.get<{ id: number | null }>("SELECT MAX(id) AS id FROM messages")?.id ?? 0;
    const marker = "INSERT INTO state_meta (key, value) VALUES (?, ?)";
    w.run(marker, ["fts_rebuild_high_water", String(highWater)]);
    w.run(marker, ["fts_rebuild_progress", String(progress)]);
  });
}

function without(store: StateStore, capabilities: { fts5: boolean; trigram: boolean }): SearchableStore {
  return { read: (fn) => store.read(fn), info: () => ({ ...store.info(), capabilities }) };
}

function highestId(store: StateStore): number {
  return store.read((r) => r.get<{ id: number | null }>("SELECT MAX(id) AS id FROM messages")?.id ?? 0);
}

function layoutCase(layout: CreatableLayout): IndexStateCase {
  return {
    name: `layout ${String(layout)}`,
    enter: (store) => {
      relayout(store, layout);
      return store;
    },
  };
}

/** Every state a search must give the same answer in. Each may be entered from any other. */
export const INDEX_STATES: readonly IndexStateCase[] = [
  layoutCase(3),
  {
    name: "no trigram tokenizer",
    enter: (store) => {
      relayout(store, 3);
      return without(store, { fts5: true, trigram: false });
    },
  },
  {
    name: "no FTS5",
    enter: (store) => {
      relayout(store, 3);
      return without(store, { fts5: false, trigram: false });
    },
  },
  {
    name: "stale",
    enter: (store) => {
      relayout(store, 3);
      store.write("test: detach", detachFts);
      return store;
    },
  },
  ...[0, 0.3, 0.7, 1].map((share) => ({
    name: `backfill at ${share * 100} %`,
    enter: (store: StateStore): SearchableStore => {
      pauseBackfill(store, Math.floor(highestId(store) * share));
      return store;
    },
  })),
  layoutCase(2),
  layoutCase(1),
  layoutCase(0),
  layoutCase("content-only"),
  {
    name: "no index at all",
    enter: (store) => {
      store.write("test: drop the indexes", dropIndexes);
      return store;
    },
  },
];

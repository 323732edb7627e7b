import { statSync } from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import { checkConnection } from "@hermes/state-repair";
import Database from "better-sqlite3";
import type { SearchCorpus } from "../corpus/search-corpus.js";
import { sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

/** A full check of 1 GB takes half a minute of CPU at most, most of it in the engine's own comparison of indexes. */
const GOAL = { cpuMs: 30 };

function checkAll(path: string): string {
  using writer = openMaintenanceConnection(path);
  using r = openMaintenanceConnection(path, { readonly: true });
  const { verdict } = checkConnection(r, { level: "full", writer, shared: false });
  if (verdict !== "healthy") throw new Error(`The corpus is ${verdict}.`);
  return verdict;
}

/** What the engine offers by itself: every page and entry, and every term of both indexes. */
function askEngine(path: string): void {
  const database = new Database(path);
  database.pragma("integrity_check");
  database.exec("BEGIN IMMEDIATE");
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    database.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  }
  database.exec("ROLLBACK");
  database.close();
}

/** A full check of a store of 100,000 messages, beside the engine's own checks of the same. */
export function checkTrial(corpus: SearchCorpus): Trial {
  let megabytes = 0;
  return {
    name: "check a store of 100,000 messages in full",
    unit: "MB of file",
    get operations() {
      return (megabytes ||= statSync(corpus.path).size / 1e6);
    },
    goal: GOAL,
    round: (storeFirst) => {
      const early = storeFirst ? sample(() => checkAll(corpus.path)) : undefined;
      const engine = sample(() => askEngine(corpus.path));
      return { store: early ?? sample(() => checkAll(corpus.path)), engine };
    },
  };
}

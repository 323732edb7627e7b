import { statSync } from "node:fs";
import { salvagePages } from "@hermes/state-repair";
import { columnNames } from "@hermes/state-schema";
import Database from "better-sqlite3";
import type { ManySessions } from "../corpus/many-sessions.js";
import { sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

const READ_ALL = `SELECT ${columnNames("messages").join(", ")} FROM messages`;

/** The goal is 50 MB of file per second and core: 20 ms of CPU for each. */
const GOAL = { cpuMs: 20 };

function salvageAll(path: string): number {
  let rows = 0;
  for (const row of salvagePages(path)) rows += row.damaged.length === 0 ? 1 : 0;
  return rows;
}

function readAll(path: string): number {
  const database = new Database(path);
  let rows = 0;
  for (const _ of database.prepare(READ_ALL).iterate()) rows += 1;
  database.close();
  return rows;
}

/** Every row of a store of 130,000 messages, read from its pages; the engine reads the same messages. */
export function salvageTrial(many: ManySessions): Trial {
  let megabytes = 0;
  return {
    name: "salvage a store of 130,000 messages by its pages",
    unit: "MB of file",
    get operations() {
      return (megabytes ||= statSync(many.path).size / 1e6);
    },
    goal: GOAL,
    round: (storeFirst) => {
      const early = storeFirst ? sample(() => salvageAll(many.path)) : undefined;
      const engine = sample(() => readAll(many.path));
      return { store: early ?? sample(() => salvageAll(many.path)), engine };
    },
  };
}

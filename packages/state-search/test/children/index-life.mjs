// Runs one scenario of the life of a search index on a store: node index-life.mjs PATH SCENARIO
import { channel } from "node:diagnostics_channel";
import { openStateStore, systemClock } from "@hermes/state-core";
import { stepBackfill } from "@hermes/state-schema";
import * as search from "@hermes/state-search";

const [path, name] = process.argv.slice(2);
const scenario = channel("hermes:test:scenario");
/** Nobody else works on the file: no pause is needed between steps. */
const clock = { ...systemClock, now: systemClock.now, monotonicMs: systemClock.monotonicMs, sleep: () => undefined };
const open = () => openStateStore({ path, clock, durability: "normal" });

const scenarios = {
  /** Brings back what an open brings back. */
  open() {
    open().close();
  },
  /** Appends to a store whose index is wrecked: the index is taken off, the row is stored. */
  append() {
    const store = open();
    store.messages.append("old-1", { role: "user", content: "stored all the same" });
    store.close();
  },
  steps() {
    const store = open();
    const { capabilities } = store.info();
    while (store.write("step", (w) => stepBackfill(w, capabilities)) === "more");
    store.close();
  },
  async backfill() {
    const store = open();
    await search.runBackfill(store, { pauseMs: 0 });
    store.close();
  },
  async optimize() {
    const store = open();
    const report = await search.optimizeStorage(store, { pauseMs: 0 });
    store.close();
    if (!report.ok) throw new Error(JSON.stringify(report));
  },
  async rebuild() {
    const store = open();
    const report = await search.rebuildIndexes(store, { pauseMs: 0 });
    store.close();
    if (!report.ok) throw new Error(JSON.stringify(report));
  },
};

scenario.publish("begin");
Promise.resolve(scenarios[name]()).then(() => scenario.publish("end"));

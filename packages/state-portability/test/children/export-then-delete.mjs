// Exports a conversation and deletes it: node export-then-delete.mjs STORE. Says on a channel when it begins and ends.
import { channel } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";
import { exportThenDelete } from "@hermes/state-portability";

const path = process.argv[2];
const scenario = channel("hermes:test:scenario");
const store = openStateStore({ path });
scenario.publish("begin");
await exportThenDelete(store, `${path}.jsonl`, { sessionIds: ["tip"], lineage: "logical" });
scenario.publish("end");
store.close();

// Erases a session: node erase.mjs STORE SESSION. Says on a channel when it begins and ends.
import { channel } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";
import { eraseSessions } from "@hermes/state-portability";

const [path, session] = process.argv.slice(2);
const scenario = channel("hermes:test:scenario");
const store = openStateStore({ path });
scenario.publish("begin");
await eraseSessions(store, [session]);
scenario.publish("end");

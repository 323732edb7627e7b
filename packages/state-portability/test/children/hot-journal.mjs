// Leaves a store in rollback mode as a program does that is killed in the middle of a large transaction: pages of it
// are in the main file already, and the journal holds what they were. Prints "ready" and waits for its end.
import { setInterval } from "node:timers";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";

const path = process.argv[2];
const store = openStateStore({ path, journal: "delete" });
store.sessions.create({ id: "old", source: "cli" });
store.messages.appendBatch(
  "old",
  Array.from({ length: 2000 }, (_, index) => ({ role: "user", content: `old ${index} ${"x".repeat(500)}` })),
);
store.close();
const connection = openMaintenanceConnection(path);
connection.pragma("cache_size=5");
connection.exec("BEGIN IMMEDIATE");
connection.exec("UPDATE messages SET content = replace(content, 'old', 'torn')");
process.stdout.write("ready\n");
setInterval(() => undefined, 1000);

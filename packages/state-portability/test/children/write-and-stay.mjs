// Leaves a store as a program does that is killed: 40 rows checkpointed, 300 more in the log, which nobody folds.
// Prints "ready" and stays open, writing no more; with "write" as the second argument it goes on writing.
import { setInterval } from "node:timers";
import { openStateStore } from "@hermes/state-core";

const [path, mode = "stay", journal = "wal"] = process.argv.slice(2);
const first = openStateStore({ path, journal });
first.sessions.create({ id: "s", source: "cli" });
for (let index = 0; index < 40; index++) first.messages.append("s", { role: "user", content: `row ${index}` });
first.close();
const store = openStateStore({ path, journal });
for (let index = 40; index < 340; index++) store.messages.append("s", { role: "user", content: `row ${index}` });
process.stdout.write("ready\n");
process.stdin.on("data", () => {
  try {
    store.messages.append("s", { role: "user", content: "one more" });
    process.stdout.write("stored\n");
  } catch (error) {
    process.stdout.write(`${error.code}\n`);
  }
});
let more = 0;
if (mode === "write") {
  setInterval(() => store.messages.append("s", { role: "user", content: `more ${more++}` }), 1);
}

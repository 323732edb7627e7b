// Creates a store with one message, and kills itself before its n-th statement: node create-and-die.mjs PATH N
import { subscribe } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";

const [path, point] = process.argv.slice(2);
let statements = 0;
subscribe("hermes:state:statement", () => {
  statements += 1;
  if (statements === Number(point)) process.kill(process.pid, "SIGKILL");
});
const store = openStateStore({ path });
store.sessions.create({ id: "s1", source: "test" });
store.messages.append("s1", { role: "user", content: "acknowledged" });
store.close();
process.stdout.write(`${statements}\n`);

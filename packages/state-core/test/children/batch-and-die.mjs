// Appends a batch, and kills itself before the n-th statement of the transaction: PATH N
import { subscribe } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";

const [path, point] = process.argv.slice(2);
const store = openStateStore({ path });
let statements = 0;
let committed = false;
subscribe("hermes:state:statement", ({ role, sql }) => {
  if (role !== "writer" || committed) return;
  statements += 1;
  if (statements === Number(point)) process.kill(process.pid, "SIGKILL");
  committed = sql === "COMMIT";
});
const batch = Array.from({ length: 6 }, (_, n) => ({ role: "user", content: `batched needle ${n}` }));
store.messages.appendBatch("s1", batch);
store.close();

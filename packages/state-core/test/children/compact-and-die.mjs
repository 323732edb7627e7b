// Compacts a session, and kills itself before the n-th statement of the transaction: PATH archive|rotate N
import { subscribe } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";

const [path, what, point] = process.argv.slice(2);
const store = openStateStore({ path });
const options = { watermark: 3, messages: [{ role: "user", content: "summary" }] };
let statements = 0;
let committed = false;
subscribe("hermes:state:statement", ({ role, sql }) => {
  if (role !== "writer" || committed) return;
  statements += 1;
  if (statements === Number(point)) process.kill(process.pid, "SIGKILL");
  committed = sql === "COMMIT";
});
if (what === "archive") store.compaction.archive("root", options.messages, { watermark: 3 });
else store.compaction.rotate("root", { id: "child" }, { ...options, requireLease: false });
store.close();

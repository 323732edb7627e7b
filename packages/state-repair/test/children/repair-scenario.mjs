// Repairs the store at the given path and prints its stages, then the report; dies of SIGKILL on the way when told to.
// Arguments: path, and optional JSON {"stage": name} or {"write": n}: the n-th statement on the store itself once its
// rows are being written, which is counted and printed otherwise.
import { subscribe } from "node:diagnostics_channel";
import { applyRepair } from "@hermes/state-repair";

const [path, at = "{}"] = process.argv.slice(2);
const { stage, write } = JSON.parse(at);
const space = () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 40 });
let promoting = false;
let writes = 0;

function die() {
  process.kill(process.pid, "SIGKILL");
}

subscribe("hermes:state:repair", (event) => {
  process.stdout.write(`${event.stage}\n`);
  promoting ||= event.stage === "promoting";
  if (event.stage === stage) die();
});
subscribe("hermes:state:statement", (event) => {
  if (!promoting || event.path !== path) return;
  writes += 1;
  if (writes === write) die();
});
const { repaired, strategy, reason, error } = await applyRepair(path, { space });
process.stdout.write(`${JSON.stringify({ repaired, strategy, reason, error, writes })}\n`);

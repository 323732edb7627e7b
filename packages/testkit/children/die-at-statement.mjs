// Preloaded into a child: it dies of SIGKILL right before the n-th statement of its scenario, or notes all of them.
//   node --import ".../die-at-statement.mjs?at=N" SCRIPT       (N beyond the last: it dies at the end of the scenario)
//   node --import ".../die-at-statement.mjs?record=FILE" SCRIPT
// The script publishes on "hermes:test:scenario" when the scenario begins and when it has ended.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync, writeSync } from "node:fs";

const { searchParams } = new URL(import.meta.url);
const at = Number(searchParams.get("at") ?? "0");
const record = searchParams.get("record");
const statements = [];
let begun = false;

function die() {
  process.kill(process.pid, "SIGKILL");
}

subscribe("hermes:state:statement", ({ sql }) => {
  if (!begun) return;
  statements.push(sql);
  if (statements.length === at) die();
});

subscribe("hermes:test:scenario", (event) => {
  if (event === "begin") {
    begun = true;
    writeSync(1, "begun\n");
  } else if (at > 0) die();
  else if (record !== null) writeFileSync(record, JSON.stringify(statements));
});

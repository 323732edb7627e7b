// Appends twenty messages a second to a store until a line comes on stdin: node appender.mjs PATH
// How it went comes back as one line of JSON.
import { clearInterval, setInterval } from "node:timers";
import { openStateStore } from "@hermes/state-core";

const EVERY_MS = 50;
const store = openStateStore({ path: process.argv[2] });
const waits = [];
let failures = 0;
const timer = setInterval(() => {
  const begun = performance.now();
  try {
    store.messages.append("old-1", { role: "user", content: `live${waits.length} livingword` });
  } catch {
    failures += 1;
  }
  waits.push(performance.now() - begun);
}, EVERY_MS);
console.log("open");
process.stdin.once("data", () => {
  clearInterval(timer);
  store.close();
  process.stdin.destroy();
  waits.sort((a, b) => a - b);
  console.log(
    JSON.stringify({ appends: waits.length, failures, longest: waits.at(-1), median: waits[waits.length >> 1] }),
  );
});

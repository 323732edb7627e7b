// Imports a folder and dies of SIGKILL at a report of its progress: <store> <folder> <which report>
import process from "node:process";
import { openStateStore } from "@hermes/state-core";
import { importInto } from "@hermes/state-portability";

const [path, folder, sessions] = process.argv.slice(2);
let seen = 0;
const store = openStateStore({ path });
await importInto(store, folder, {
  onProgress: ({ phase, done }) => {
    if (phase === "importing" && done > 0 && (seen += 1) >= Number(sessions)) process.kill(process.pid, "SIGKILL");
  },
});
store.close();

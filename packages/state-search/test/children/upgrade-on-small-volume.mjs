// Upgrades a store on a volume that is full when the VACUUM begins: node upgrade-on-small-volume.mjs PATH
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { optimizeStorage, searchMessages } from "@hermes/state-search";

const path = process.argv[2];
const LIMIT = "import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))";

/** From now on no file of this process may grow beyond what the log has now and a little more. */
function fill() {
  const bytes = statSync(`${path}-wal`).size + 1_000_000;
  const run = spawnSync("python3", ["-c", LIMIT, String(process.pid), String(bytes)], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
}

const store = openStateStore({ path, durability: "normal" });
const onProgress = ({ phase, done }) => {
  if (phase === "vacuum" && done === 0) fill();
};
optimizeStorage(store, { pauseMs: 0, onProgress }).then((report) => {
  store.messages.append("old-1", { role: "user", content: "stored all the same" });
  const found = searchMessages(store, "stored").hits.length;
  store.close();
  process.stdout.write(JSON.stringify({ ...report, found }));
});

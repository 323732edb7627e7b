// Appends where the file cannot grow, then where it can again: node append-on-small-volume.mjs PATH
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { isStateError, openStateStore } from "@hermes/state-core";

const path = process.argv[2];
const LIMIT = "import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))";

/** From now on no file of this process may grow beyond so many bytes; -1 lifts it. */
function limit(bytes) {
  const run = spawnSync("python3", ["-c", LIMIT, String(process.pid), String(bytes)], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
}

const store = openStateStore({ path, durability: "normal" });
const stored = [];
const errors = [];
function append(name, count) {
  for (let n = 0; n < count; n++) {
    const content = `${name}${n} ${"x".repeat(100_000)}`;
    try {
      store.messages.append("s", { role: "user", content });
      stored.push(`${name}${n}`);
    } catch (error) {
      errors.push(isStateError(error) ? error.code : String(error));
    }
  }
}

const size = statSync(path).size;
limit(size - 500_000); // the log fits below it, the end of the store does not
append("full", 100);
limit(-1);
append("free", 60);
const log = statSync(`${path}-wal`).size;
const began = performance.now();
store.close();
process.stdout.write(JSON.stringify({ size, log, stored, errors, closeMs: performance.now() - began }));

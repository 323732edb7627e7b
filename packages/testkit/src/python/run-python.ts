import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { childEnvironment } from "../config/environment.js";
import { repoRoot } from "../config/repo-root.js";
import { PythonError } from "./python-peer.js";

/**
 * Runs one Python script to its end. `peer.py` can be imported by it as `peer`; `args` holds the given value and what
 * `answer(value)` is called with comes back.
 *
 * @param code - Source text.
 * @param args - Anything JSON can carry.
 * @param timeout - Milliseconds after which it is killed.
 * @throws PythonError when it ends otherwise than well.
 */
export function runPython<T>(code: string, args: unknown, timeout = 60_000): T {
  const folder = join(repoRoot(), "packages", "testkit", "python");
  const run = spawnSync("python3", ["-c", PRELUDE + code], {
    input: JSON.stringify(args),
    encoding: "utf8",
    timeout,
    maxBuffer: 256 * 1024 * 1024,
    env: childEnvironment({ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" }),
  });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new PythonError("Exited", run.stderr);
  return JSON.parse(run.stdout.split("\n").at(-2) ?? "null") as T;
}

const PRELUDE = `
import json, sys, sqlite3, peer
args = json.loads(sys.stdin.read())
def answer(value): print(json.dumps(value))
`;

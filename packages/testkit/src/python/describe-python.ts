import { spawnSync } from "node:child_process";
import { describeWith } from "../peer/describe-peer.js";

let found: boolean | undefined;

/** Whether `python3` with its standard sqlite3 module runs here; asked once per process. */
export function hasPython(): boolean {
  found ??= spawnSync("python3", ["-c", "import sqlite3"], { timeout: 30_000 }).status === 0;
  return found;
}

/** A `describe` for tests beside a real Python process: skipped with a plain message where `python3` is absent. */
export function describePython(title: string, define: () => void): void {
  describeWith(hasPython(), "python3 with its sqlite3 module is absent; install python3", title, define);
}

// Takes a lock again and again as its standard input says, and tells when it was not alone with it.
// Each line: {"path", "waitMs", "holdMs", "careless"}; a careless worker removes the file of a lock that is held.
import { closeSync, existsSync, openSync, unlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireKernelLock, systemClock } from "@hermes/state-core";

if (process.argv[2] === "nobody" && process.getuid() === 0) {
  // The native binding is loaded while its files can still be read.
  acquireKernelLock(process.argv[3], 0, systemClock);
  process.setgroups([]);
  process.setgid(65534);
  process.setuid(65534);
}
const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { path, waitMs, holdMs, careless } = JSON.parse(line);
  if (careless) {
    while (!existsSync(`${path}.inside`)) await sleep(5);
    unlinkSync(path);
  }
  const attempt = acquireKernelLock(path, waitMs, systemClock);
  if (attempt.kind !== "acquired") {
    answer({ kind: attempt.kind, errno: attempt.errno ?? null });
    continue;
  }
  let alone = true;
  try {
    closeSync(openSync(`${path}.inside`, "wx"));
  } catch {
    alone = false;
  }
  await sleep(holdMs);
  if (alone) unlinkSync(`${path}.inside`);
  attempt.release();
  answer({ kind: "acquired", alone });
}

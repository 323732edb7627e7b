// Takes a forensic bundle and dies by SIGKILL right before the rename number `at` (0: after the copies are made),
// or while it copies (-1).
import { renameSync } from "node:fs";
import { systemClock } from "@hermes/state-core";
import { takeForensicBundle } from "@hermes/state-repair";

const [path, at] = [process.argv[2], Number(process.argv[3])];
let renames = 0;
const die = () => process.kill(process.pid, "SIGKILL");
await takeForensicBundle(path, {
  clock: systemClock,
  space: () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 40 }),
  onProgress: ({ phase }) => {
    if (at === -1 && phase === "copy") die();
  },
  rename: (from, to) => {
    if (renames++ === at) die();
    renameSync(from, to);
  },
});
die();

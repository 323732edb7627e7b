// Holds the right to rebuild the indexes of a store until it is killed: node hold-rebuild-lock.mjs PATH
import { acquireKernelLock, systemClock } from "@hermes/state-core";

const attempt = acquireKernelLock(`${process.argv[2]}.fts_rebuild.lock`, 0, systemClock);
process.stdout.write(`${attempt.kind}\n`);
setTimeout(() => undefined, 60_000);

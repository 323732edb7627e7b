// Opens stores and forgets them; tells how many descriptors of the file were open at most, and after collection.
// Usage: node --expose-gc forget-stores.mjs PATH
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openStateStore } from "@hermes/state-core";

const path = process.argv[2];

function open() {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;
}

function forget() {
  const stores = Array.from({ length: 20 }, () => openStateStore({ path }));
  for (const store of stores) store.sessions.count({});
  return open();
}

const most = forget();
for (let round = 0; round < 100 && open() > 0; round++) {
  globalThis.gc();
  await setTimeout(20);
}
process.stdout.write(JSON.stringify({ most, left: open() }));

// One repair pass with a scripted surgery, in the order of gates a repair has. Prints what came of it.
// Arguments: path, "fail" or "heal", and optional JSON {"holdMs": n, "waitMs": n}.
import { systemClock } from "@hermes/state-core";
import {
  checkRepairBudget,
  findLiveWriter,
  liveWriterRefusal,
  openLedger,
  REPAIR_LOCK_WAIT_MS,
  takeForensicBundle,
  withRepairLock,
} from "@hermes/state-repair";

const [path, outcome] = [process.argv[2], process.argv[3]];
const { holdMs = 0, waitMs = REPAIR_LOCK_WAIT_MS } = JSON.parse(process.argv[4] ?? "{}");
const space = () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 40 });

async function pass() {
  const ledger = openLedger(path, systemClock);
  const spent = checkRepairBudget(path, ledger, { backup: true, space });
  if (spent) return { answer: spent.code };
  const writer = findLiveWriter(path);
  if (writer) return { answer: liveWriterRefusal(path, "repair", writer).code };
  const bundle = await takeForensicBundle(path, { clock: systemClock, space });
  if (bundle.kind === "refused") {
    if (bundle.countsAsPass) ledger.recordFailure();
    return { answer: bundle.reason };
  }
  process.stdout.write("surgery\n");
  if (holdMs > 0) await new Promise((resolve) => setTimeout(resolve, holdMs));
  if (outcome === "heal") ledger.clear();
  else ledger.recordFailure();
  return { answer: outcome, bundle: bundle.kind };
}

process.stdout.write("started\n");
const result = await withRepairLock(path, systemClock, waitMs, pass);
process.stdout.write(
  `${JSON.stringify(result.kind === "ran" ? result.value : { answer: result.kind, pid: result.pid })}\n`,
);

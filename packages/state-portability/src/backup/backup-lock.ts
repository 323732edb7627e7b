import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { acquireKernelLock, StateError, throwIfAborted } from "@hermes/state-core";
import type { Clock } from "@hermes/state-core";

const POLL_MS = 100;
const WAIT_MS = 120_000;

/**
 * Keeps two backups of one store into one folder apart.
 *
 * @returns Undefined where the system has no such lock: then nothing of others may be swept.
 * @throws STATE_E_BUSY when another backup takes too long.
 */
export async function lockBackups(
  folder: string,
  base: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Disposable | undefined> {
  const file = join(folder, `.${base}.backup.lock`);
  const deadline = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const attempt = acquireKernelLock(file, 0, clock);
    if (attempt.kind === "failed") return undefined;
    if (attempt.kind === "acquired") return { [Symbol.dispose]: attempt.release };
    if (clock.monotonicMs() + POLL_MS > deadline) throw busy(folder, attempt.holder?.pid);
    // By the timer and not the clock: the holder may be another backup of this process.
    await setTimeout(POLL_MS);
    throwIfAborted(signal);
  }
}

function busy(folder: string, pid: number | undefined): StateError {
  const who = pid === undefined ? "Another process" : `Process ${String(pid)}`;
  return new StateError("STATE_E_BUSY", `${who} makes a backup in ${folder}. Nothing was changed; try again later.`, {
    folder,
    pid,
  });
}

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acquireKernelLock } from "@hermes/state-core";
import type { Clock } from "@hermes/state-core";
import { ownerLockName } from "./spool-names.js";

/**
 * The name under which a writer keeps files, held by a kernel lock for as long as the process lives: files of a name
 * whose lock is free are left over. Where there is no such lock every file of others counts as left over, which is
 * safe, since a message is stored once however many replay it.
 */
export class SpoolOwner {
  readonly token: string;
  readonly #path: string;
  readonly #clock: Clock;
  #release: (() => void) | undefined;

  /** @param token - Not used by anybody yet. */
  constructor(folder: string, token: string, clock: Clock) {
    this.token = token;
    this.#path = join(folder, ownerLockName(token));
    this.#clock = clock;
  }

  /** Takes the lock unless it is held; on a full disk there may be none until later. */
  hold(): void {
    if (this.#release) return;
    const lock = acquireKernelLock(this.#path, 0, this.#clock);
    if (lock.kind === "acquired") this.#release = lock.release;
  }

  release(): void {
    // The file goes while it is held, so that nobody else can have locked it in between.
    rmSync(this.#path, { force: true });
    this.#release?.();
    this.#release = undefined;
  }
}

/**
 * Does something with the files of a name, if its owner is gone; two who try at once do not both.
 *
 * @returns False when the owner lives.
 */
export function withDeadOwner(folder: string, token: string, clock: Clock, fn: () => void): boolean {
  const path = join(folder, ownerLockName(token));
  if (!existsSync(path)) {
    fn();
    return true;
  }
  const lock = acquireKernelLock(path, 0, clock);
  if (lock.kind === "held") return false;
  try {
    fn();
    rmSync(path, { force: true });
  } finally {
    if (lock.kind === "acquired") lock.release();
  }
  return true;
}

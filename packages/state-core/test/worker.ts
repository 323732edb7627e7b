import { fileURLToPath } from "node:url";
import { builtPackage, spawnNode } from "@hermes/testkit";

/** A process of its own that works with the built package, told what to do call by call. */
export interface Worker extends AsyncDisposable {
  readonly pid: number;
  /** Runs an operation of its script; rejects with the code of the error it threw. */
  call<T = unknown>(op: string, args?: unknown): Promise<T>;
  /** SIGKILL, now. */
  kill(): void;
  /** Settles when the process is gone. */
  readonly gone: Promise<unknown>;
}

/** The code that an operation in a worker failed with. */
export class WorkerError extends Error {
  override readonly name: string = "WorkerError";
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Path of a script under `children/`. */
export function childScript(name: string): string {
  builtPackage("state-core");
  return fileURLToPath(new URL(`children/${name}`, import.meta.url));
}

/**
 * Starts a worker and waits until it has loaded the package.
 *
 * @param timeout - Milliseconds after which it is killed.
 * @param script - Which script under `children/` it runs.
 */
export async function startWorker(timeout = 90_000, script = "worker.mjs"): Promise<Worker> {
  const pending: Pending[] = [];
  const child = spawnNode(childScript(script), [], {
    timeout,
    onLine: (line) => {
      if (line === "ready") return;
      const { result, error } = JSON.parse(line) as { result?: unknown; error?: string };
      const first = pending.shift();
      if (error === undefined) first?.resolve(result);
      else first?.reject(new WorkerError(error));
    },
  });
  void child.exit.then((end) => {
    for (const call of pending.splice(0)) call.reject(new WorkerError(`gone: ${end.signal ?? end.stderr}`));
  });
  await child.waitForLine((line) => line === "ready");
  return {
    pid: child.pid,
    call: <T>(op: string, args?: unknown) =>
      new Promise<T>((resolve, reject) => {
        pending.push({ resolve, reject });
        child.send(JSON.stringify({ op, args }));
      }),
    kill: () => {
      child.kill();
    },
    gone: child.exit,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

import { openRegistered } from "../connection/live-connections.js";
import { prepareFile } from "../store/open-parts.js";
import { resolveOptions } from "../store/open-options.js";
import type { OpenOptions } from "../store/open-options.js";
import type { AsyncStateStore } from "./async-state-store.js";
import { bindStore } from "./bind-store.js";
import { WorkerClient } from "./worker-client.js";
import type { WorkerOptions } from "./worker-protocol.js";

/** Options of {@link openStateStoreAsync}. */
export type AsyncOpenOptions = Omit<OpenOptions, "clock" | "random" | "driver"> & {
  /** Takes back every call that has not begun when it fires, and ends streams between two batches. */
  readonly signal?: AbortSignal;
};

const NOT_COPYABLE = ["clock", "random", "driver"] as const;

function workerOptions(options: Omit<AsyncOpenOptions, "signal">): WorkerOptions {
  for (const name of NOT_COPYABLE) {
    if (name in options)
      throw new TypeError(`openStateStoreAsync: ${name} cannot be handed to a worker. Leave it out.`);
  }
  return { ...options, path: resolveOptions(options).path };
}

/**
 * Opens a store in a worker thread that owns its writer and a reader: the same methods, returning promises (COR-38).
 *
 * @example
 * ```ts
 * await using store = await openStateStoreAsync({ path: "state.db" });
 * for await (const session of store.sessions.iterate()) console.log(session.id);
 * ```
 * @throws as `openStateStore`; TypeError for `clock`, `random` or `driver`, which cannot cross threads;
 * STATE_E_WORKER_LOST from any call once the worker has ended unasked.
 */
export async function openStateStoreAsync(options: AsyncOpenOptions = {}): Promise<AsyncStateStore> {
  const client = await startClient(options, undefined);
  return bindStore(client, options.signal);
}

/** A store in a worker that also answers what a module of the caller's serves there. */
export interface ExtendedStateStore extends AsyncDisposable {
  /** The parts of the store, as {@link openStateStoreAsync} returns them. */
  readonly store: AsyncStateStore;
  /**
   * Asks the extension.
   *
   * @param onNote - Told what the extension tells before it answers.
   */
  call(method: string, args: readonly unknown[], onNote?: (value: unknown) => void): Promise<unknown>;
}

/**
 * Opens a store in a worker thread, as {@link openStateStoreAsync}, with an extension beside it: another way to use the
 * same store, which runs where the store is (COR-38).
 *
 * @param extension - Module whose export `serveStore` is a {@link StoreExtension}. It is loaded in the worker.
 * @throws As openStateStoreAsync; whatever loading the module throws.
 */
export async function openExtendedStateStore(options: AsyncOpenOptions, extension: URL): Promise<ExtendedStateStore> {
  const client = await startClient(options, extension);
  const store = bindStore(client, options.signal);
  return {
    store,
    call: (method, args, onNote) =>
      client.ask({ kind: "call", target: "extension", method, args }, options.signal, onNote),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function startClient(options: AsyncOpenOptions, extension: URL | undefined): Promise<WorkerClient> {
  const { signal, ...rest } = options;
  signal?.throwIfAborted();
  const forWorker = workerOptions(rest);
  const resolved = resolveOptions(forWorker);
  prepareFile(resolved);
  const setup = { options: forWorker, extension: extension?.href };
  // The worker's connections count as this thread's: locks are the process's, whichever thread holds the handle.
  const { connection: client, unregister } = openRegistered(
    resolved.path,
    () =>
      new WorkerClient(setup, () => {
        unregister();
      }),
  );
  await client.ready();
  return client;
}

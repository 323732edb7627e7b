import type { AsyncStateStore } from "./async-state-store.js";
import { SERVED_PARTS } from "./worker-protocol.js";
import type { ServedPart, StreamBatch } from "./worker-protocol.js";
import type { WorkerClient } from "./worker-client.js";

/** Items that travel at a time: enough to hide the hop between threads, few enough to hold in memory. */
const BATCH = 64;

/** Methods that return iterators; everything else is a call. */
const STREAMS: ReadonlySet<string> = new Set(["sessions.iterate", "messages.iterate"]);

async function* stream(
  client: WorkerClient,
  target: ServedPart,
  method: string,
  args: readonly unknown[],
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const id = (await client.ask({ kind: "stream", target, method, args }, signal)) as number;
  let done = false;
  try {
    while (!done) {
      // The next batch is read when the consumer has used up the last one: a slow consumer slows the reading.
      const batch = (await client.ask({ kind: "next", stream: id, count: BATCH }, signal)) as StreamBatch;
      done = batch.done;
      yield* batch.items;
    }
  } finally {
    if (!done) await client.ask({ kind: "stop", stream: id });
  }
}

function bindPart(client: WorkerClient, target: ServedPart, signal: AbortSignal | undefined): object {
  const methods = new Map<string, unknown>();
  return new Proxy(Object.freeze({}), {
    get(_, name) {
      // A promise would be taken for one of the part's methods by whoever awaits the part.
      if (typeof name !== "string" || name === "then") return undefined;
      let method = methods.get(name);
      if (!method) {
        method = STREAMS.has(`${target}.${name}`)
          ? (...args: unknown[]) => stream(client, target, name, args, signal)
          : (...args: unknown[]) => client.ask({ kind: "call", target, method: name, args }, signal);
        methods.set(name, method);
      }
      return method;
    },
  });
}

/** The facade over a worker: one object with the store's parts, bound to a signal if there is one. */
export function bindStore(client: WorkerClient, signal: AbortSignal | undefined): AsyncStateStore {
  const parts = Object.fromEntries(SERVED_PARTS.map((part) => [part, bindPart(client, part, signal)]));
  const close = (): Promise<void> => client.close();
  return {
    ...parts,
    path: client.path,
    info: () => client.ask({ kind: "call", target: "store", method: "info", args: [] }, signal),
    with: (options: { readonly signal: AbortSignal }) =>
      bindStore(client, signal ? AbortSignal.any([signal, options.signal]) : options.signal),
    close,
    [Symbol.asyncDispose]: close,
  } as unknown as AsyncStateStore;
}

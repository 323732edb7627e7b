import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openPrepared } from "../store/open-parts.js";
import { resolveOptions } from "../store/open-options.js";
import { StateStore } from "../store/state-store.js";
import { packError } from "./carry-error.js";
import { RequestQueue } from "./request-queue.js";
import type { AnsweredRequest } from "./request-queue.js";
import { StoreServer } from "./serve-store.js";
import type {
  ExtendedCall,
  StoreExtension,
  WorkerAnswer,
  WorkerOptions,
  WorkerRequest,
  WorkerSetup,
} from "./worker-protocol.js";

type Port = NonNullable<typeof parentPort>;

function openStore(options: WorkerOptions): StateStore {
  // The thread that asked has inspected and created the file: a raw look here could drop the locks of its connections.
  const { facts, resources } = openPrepared(resolveOptions(options));
  return new StateStore(facts, resources);
}

async function loadExtension(url: string | undefined, store: StateStore): Promise<ExtendedCall | undefined> {
  if (url === undefined) return undefined;
  const { serveStore } = (await import(url)) as { readonly serveStore: StoreExtension };
  return serveStore(store);
}

function serve(port: Port, store: StateStore, extension: ExtendedCall | undefined): void {
  const server = new StoreServer(store, extension);
  const reply = (answer: WorkerAnswer): void => {
    port.postMessage(answer);
  };
  const queue = new RequestQueue((id) => {
    reply({ kind: "cancelled", id });
  });
  const collect = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
      queue.add(next.message as WorkerRequest);
    }
  };
  const work = async (request: AnsweredRequest): Promise<void> => {
    try {
      const note = (value: unknown): void => reply({ kind: "note", id: request.id, value });
      reply({ kind: "value", id: request.id, value: await server.answer(request, note) });
    } catch (error) {
      reply({ kind: "error", id: request.id, error: packError(error) });
    }
    if (request.kind === "close") port.close();
  };
  let working = false;
  port.on("message", (message: WorkerRequest) => {
    queue.add(message);
    if (working) return;
    working = true;
    void (async () => {
      for (;;) {
        collect();
        const request = queue.take();
        if (!request) break;
        await work(request);
      }
      working = false;
    })();
  });
}

/** Opens the store of this worker and says how that went. */
export async function startWorker(port: Port, { options, extension }: WorkerSetup): Promise<void> {
  let store: StateStore | undefined;
  try {
    store = openStore(options);
    serve(port, store, await loadExtension(extension, store));
    port.postMessage({ kind: "ready" } satisfies WorkerAnswer);
  } catch (error) {
    store?.close();
    port.postMessage({ kind: "failed", error: packError(error) } satisfies WorkerAnswer);
    port.close();
  }
}

if (parentPort) void startWorker(parentPort, workerData as WorkerSetup);

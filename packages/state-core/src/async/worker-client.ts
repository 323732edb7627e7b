import { Worker } from "node:worker_threads";
import { StateError } from "../errors/state-error.js";
import { unpackError } from "./carry-error.js";
import type { AnsweredRequest } from "./request-queue.js";
import type { WorkerAnswer, WorkerSetup } from "./worker-protocol.js";

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onNote: ((value: unknown) => void) | undefined;
}

/** A request without its number. */
type Unnumbered<R> = R extends { readonly id: number } ? Omit<R, "id"> : never;

function workerLost(path: string, cause: unknown): StateError {
  return new StateError(
    "STATE_E_WORKER_LOST",
    `The worker that serves ${path} has ended. Everything it acknowledged is stored; what was still under way may be ` +
      "stored or not: open the store again and read before repeating it.",
    { path },
    { cause },
  );
}

function clientClosed(path: string): StateError {
  return new StateError("STATE_E_CLOSED", `The store ${path} is closed. Open it again.`, { path });
}

/** `--input-type` says what text on the command line is; a worker that inherits it refuses to run a file. */
function withoutInputType(words: readonly string[]): string[] {
  const name = "--input-type";
  return words.filter((word, at) => !word.startsWith(name) && words[at - 1] !== name);
}

/** This side of a worker: numbers requests, matches answers, and turns the worker's end into errors. */
export class WorkerClient {
  readonly path: string;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #lost: StateError | undefined;
  readonly #exited: Promise<void>;

  /** @param onEnd - Called once when the worker has ended, for whatever reason. */
  constructor(setup: WorkerSetup, onEnd: () => void) {
    this.path = setup.options.path;
    const execArgv = withoutInputType(process.execArgv);
    this.#worker = new Worker(new URL("./state-worker.js", import.meta.url), { workerData: setup, execArgv });
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#fail(this.#lost ?? workerLost(this.path, undefined));
        onEnd();
        resolve();
      });
    });
    this.#worker.on("error", (error) => {
      this.#fail(workerLost(this.path, error));
    });
  }

  /** Waits until the worker has opened its store. Rejects with the error of the open. */
  async ready(): Promise<void> {
    const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
      this.#pending.set(0, { resolve: () => undefined, reject, signal: undefined, onNote: undefined });
      this.#worker.once("message", resolve);
    });
    this.#pending.delete(0);
    if (answer.kind === "failed") {
      await this.#exited;
      throw unpackError(answer.error);
    }
    this.#worker.on("message", (message: WorkerAnswer) => {
      this.#settle(message);
    });
    // An open store alone does not keep a process alive; a call under way does.
    this.#worker.unref();
  }

  /**
   * Asks the worker.
   *
   * @param signal - Takes the request back as long as it has not begun.
   * @param onNote - Told what the worker tells before it answers.
   */
  async ask(
    request: Unnumbered<AnsweredRequest>,
    signal?: AbortSignal,
    onNote?: (value: unknown) => void,
  ): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    signal?.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => {
      this.#worker.postMessage({ kind: "cancel", of: id });
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#worker.postMessage({ ...request, id });
        this.#pending.set(id, { resolve, reject, signal, onNote });
        this.#worker.ref();
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
      if (this.#pending.size === 0) this.#worker.unref();
    }
  }

  /** Lets the worker finish, and waits for its end. */
  async close(): Promise<void> {
    if (!this.#lost) {
      const asked = this.ask({ kind: "close" });
      this.#lost = clientClosed(this.path);
      await asked;
    }
    // The answer came; the worker's end is waited for too.
    this.#worker.ref();
    await this.#exited;
  }

  #settle(answer: WorkerAnswer): void {
    if (!("id" in answer)) return;
    const pending = this.#pending.get(answer.id);
    if (answer.kind === "note") {
      pending?.onNote?.(answer.value);
      return;
    }
    this.#pending.delete(answer.id);
    if (answer.kind === "value") pending?.resolve(answer.value);
    else if (answer.kind === "error") pending?.reject(unpackError(answer.error));
    else pending?.reject(pending.signal?.reason);
  }

  #fail(error: StateError): void {
    this.#lost ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

import type { WorkerRequest } from "./worker-protocol.js";

/** A request that has an answer. */
export type AnsweredRequest = Exclude<WorkerRequest, { readonly kind: "cancel" }>;

/** Requests of the worker in their order; what was taken back before it began is answered as cancelled. */
export class RequestQueue {
  readonly #waiting = new Map<number, AnsweredRequest>();
  readonly #onCancelled: (id: number) => void;

  constructor(onCancelled: (id: number) => void) {
    this.#onCancelled = onCancelled;
  }

  add(request: WorkerRequest): void {
    if (request.kind !== "cancel") {
      this.#waiting.set(request.id, request);
    } else if (this.#waiting.delete(request.of)) {
      this.#onCancelled(request.of);
    }
  }

  take(): AnsweredRequest | undefined {
    const first = this.#waiting.values().next();
    if (first.done) return undefined;
    this.#waiting.delete(first.value.id);
    return first.value;
  }
}

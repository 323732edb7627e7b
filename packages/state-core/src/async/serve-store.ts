import type { StateStore } from "../store/state-store.js";
import { SERVED_PARTS } from "./worker-protocol.js";
import type { AnsweredRequest } from "./request-queue.js";
import type { ExtendedCall, ServedPart, StreamBatch } from "./worker-protocol.js";

const STORE_METHODS = new Set(["info"]);

type Method = (...args: readonly unknown[]) => unknown;

/** Answers requests with one store. Everything runs to its end before the next request is looked at. */
export class StoreServer {
  readonly #store: StateStore;
  readonly #extension: ExtendedCall | undefined;
  readonly #streams = new Map<number, Iterator<unknown>>();

  /** @param extension - Answers what is asked beside the parts. */
  constructor(store: StateStore, extension?: ExtendedCall) {
    this.#store = store;
    this.#extension = extension;
  }

  /**
   * Answers one request.
   *
   * @param note - Tells the caller something before the answer.
   * @throws what the method throws; TypeError for a method that is not served.
   */
  answer(request: AnsweredRequest, note: (value: unknown) => void): unknown {
    switch (request.kind) {
      case "call":
        if (request.target === "extension") return this.#extended(request.method, request.args, note);
        return this.#method(request.target, request.method)(...request.args);
      case "stream": {
        const iterable = this.#method(request.target, request.method)(...request.args) as Iterable<unknown>;
        this.#streams.set(request.id, iterable[Symbol.iterator]());
        return request.id;
      }
      case "next":
        return this.#read(request.stream, request.count);
      case "stop":
        this.#streams.get(request.stream)?.return?.();
        this.#streams.delete(request.stream);
        return undefined;
      case "close":
        this.#store.close();
        return undefined;
    }
  }

  #extended(method: string, args: readonly unknown[], note: (value: unknown) => void): unknown {
    if (!this.#extension) throw new TypeError(`${method} is not served: this worker has no extension.`);
    return this.#extension(method, args, note);
  }

  #method(target: ServedPart | "store", name: string): Method {
    const owner: unknown = target === "store" ? this.#store : this.#store[target];
    const known = target === "store" ? STORE_METHODS.has(name) : isServed(target, owner, name);
    if (!known) throw new TypeError(`${target}.${name} is not served by an asynchronous store.`);
    return ((owner as Record<string, Method>)[name] as Method).bind(owner);
  }

  #read(stream: number, count: number): StreamBatch {
    const iterator = this.#streams.get(stream);
    const items: unknown[] = [];
    while (iterator && items.length < count) {
      const step = iterator.next();
      if (step.done === true) {
        this.#streams.delete(stream);
        return { items, done: true };
      }
      items.push(step.value);
    }
    return { items, done: iterator === undefined };
  }
}

/** Public methods of a part's classes: nothing inherited from Object, no constructor. */
function isServed(target: string, owner: unknown, name: string): boolean {
  if (!(SERVED_PARTS as readonly string[]).includes(target) || name === "constructor") return false;
  let prototype = Object.getPrototypeOf(owner) as object;
  while (prototype !== Object.prototype && !Object.hasOwn(prototype, name)) {
    prototype = Object.getPrototypeOf(prototype) as object;
  }
  if (prototype === Object.prototype) return false;
  return typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === "function";
}

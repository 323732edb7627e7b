import type { StateStore } from "../store/state-store.js";
import type { StoreInfo } from "../store/store-info.js";
import type { ServedPart } from "./worker-protocol.js";

/** A method of the store as an asynchronous one: a promise of what it returns, or an asynchronous iterator. */
export type AsyncMethod<F> = F extends (...args: infer A) => infer R
  ? R extends IterableIterator<infer T>
    ? (...args: A) => AsyncIterableIterator<T>
    : (...args: A) => Promise<Awaited<R>>
  : never;

/** A part of the store with every method asynchronous. */
export type AsyncPart<P> = {
  readonly [K in keyof P as P[K] extends (...args: never[]) => unknown ? K : never]: AsyncMethod<P[K]>;
};

/**
 * A store served by one worker thread: the same parts and names, promises instead of values, nothing on the event loop.
 *
 * A call that has begun in the worker runs to its end and reports what it did; a signal takes back what has not begun,
 * and ends a stream between two batches (COR-38).
 */
export type AsyncStateStore = { readonly [K in ServedPart]: AsyncPart<StateStore[K]> } & {
  readonly path: string;
  info(): Promise<StoreInfo>;
  /** The same store, with calls that a signal can take back. */
  with(options: { readonly signal: AbortSignal }): AsyncStateStore;
  /** Finishes what was asked before, closes the store and ends the worker. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

import type { OpenOptions } from "../store/open-options.js";
import type { StateStore } from "../store/state-store.js";

/** Parts of a store whose methods are served off the event loop, under the same names (COR-38). */
export const SERVED_PARTS = [
  "sessions",
  "messages",
  "titles",
  "lineage",
  "compaction",
  "leases",
  "usage",
  "routing",
  "handoff",
  "delegations",
  "topics",
  "retention",
  "meta",
] as const;

/** One of {@link SERVED_PARTS}. */
export type ServedPart = (typeof SERVED_PARTS)[number];

/** How the worker opens its store: options that can be copied to another thread; the file is prepared already. */
export type WorkerOptions = Omit<OpenOptions, "clock" | "random" | "driver"> & { readonly path: string };

/** What a worker begins with. */
export interface WorkerSetup {
  readonly options: WorkerOptions;
  /** URL of a module with a {@link StoreExtension} under the name `serveStore`. */
  readonly extension: string | undefined;
}

/** Answers calls beside the parts of the store. `note` tells the caller something before the answer is there. */
export type ExtendedCall = (method: string, args: readonly unknown[], note: (value: unknown) => void) => unknown;

/** What else a worker is to serve: another way to use the store that it has opened. */
export type StoreExtension = (store: StateStore) => ExtendedCall;

/** What is asked of the worker. `stream` holds an iterator there; `next` reads on in it, `stop` ends it. */
export type WorkerRequest =
  | {
      readonly id: number;
      readonly kind: "call";
      readonly target: ServedPart | "store" | "extension";
      readonly method: string;
      readonly args: readonly unknown[];
    }
  | {
      readonly id: number;
      readonly kind: "stream";
      readonly target: ServedPart;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  | { readonly id: number; readonly kind: "next"; readonly stream: number; readonly count: number }
  | { readonly id: number; readonly kind: "stop"; readonly stream: number }
  | { readonly id: number; readonly kind: "close" }
  /** Takes a request back that has not begun; it has no answer of its own. */
  | { readonly kind: "cancel"; readonly of: number };

/** An error on its way between threads; a class does not survive the copy. */
export interface CarriedError {
  readonly type: "state" | "type" | "range" | "other";
  readonly message: string;
  readonly code?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly stack?: string | undefined;
}

/** What the worker answers. `ready` and `failed` report the open. */
export type WorkerAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: CarriedError }
  | { readonly kind: "value"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: CarriedError }
  | { readonly kind: "note"; readonly id: number; readonly value: unknown }
  | { readonly kind: "cancelled"; readonly id: number };

/** A batch of a stream. */
export interface StreamBatch {
  readonly items: readonly unknown[];
  readonly done: boolean;
}

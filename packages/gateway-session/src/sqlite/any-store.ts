import type { AsyncStateStore, StateStore } from "@hermes/state-core";

/** A store of either kind: what its methods return is awaited, be it a value or a promise. */
export type AnyStore = StateStore | AsyncStateStore;

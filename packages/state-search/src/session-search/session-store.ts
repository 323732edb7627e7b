import type { StateStore } from "@hermes/state-core";

/** What a session search needs of a store; it only reads. */
export type SessionStore = Pick<
  StateStore,
  "path" | "read" | "info" | "sessions" | "messages" | "titles" | "lineage"
>;

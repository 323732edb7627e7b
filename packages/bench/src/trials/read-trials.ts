import type { StateStore } from "@hermes/state-core";
import { searchMessages } from "@hermes/state-search";
import { LONG_SESSION } from "../corpus/corpus.js";
import type { PairedTrial } from "./paired-trial.js";

function reading(name: string, unit: string, operations: number, read: (store: StateStore) => void): PairedTrial {
  return {
    name,
    unit,
    operations,
    warmUp: read,
    run: (store) => {
      for (let index = 0; index < operations; index++) read(store);
    },
  };
}

/** First page of the listing, one long conversation, and searches of three kinds. */
export const readTrials: readonly PairedTrial[] = [
  reading("list the first 50 sessions", "page", 50, (store) => {
    store.sessions.list({ limit: 50 });
  }),
  reading("load a conversation of 1,000", "load", 10, (store) => {
    store.messages.conversation(LONG_SESSION);
  }),
  reading("search a common word", "search", 10, (store) => {
    searchMessages(store, "deploy", { limit: 20 });
  }),
  reading("search two words", "search", 10, (store) => {
    searchMessages(store, "deploy retry", { limit: 20 });
  }),
  reading("search Chinese", "search", 10, (store) => {
    searchMessages(store, "服务器", { limit: 20 });
  }),
];

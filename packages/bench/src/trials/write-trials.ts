import type { NewMessage } from "@hermes/state-core";
import { conversation, LONG_SESSION } from "../corpus/corpus.js";
import { seeded } from "../corpus/seeded.js";
import type { PairedTrial } from "./paired-trial.js";

const APPENDS = 200;
const BATCHES = 10;
const BATCH_SIZE = 200;
const TARGET = "s0";

/** Made before anything is measured: the engine's side does not make them either. */
const singles = conversation(seeded(11), APPENDS);
const batches = Array.from({ length: BATCHES }, (_, index) => conversation(seeded(12 + index), BATCH_SIZE));

/** One durable message per call: the goal is at most 1.15 times the CPU of the bare statements. */
export const appendOne: PairedTrial = {
  name: "append one message",
  unit: "message",
  operations: APPENDS,
  goal: { ratio: 1.15 },
  warmUp: (store) => {
    store.messages.append(TARGET, { role: "user", content: "warm" });
  },
  run: (store) => {
    for (const message of singles) store.messages.append(TARGET, message);
  },
};

/** What indexes rows together and switches their triggers off; without it the triggers index row by row. */
const BULK_INDEXING = /sqlite_master|state_meta|messages_fts/;

/**
 * Two hundred messages in one transaction: the goal is at most 0.45 times the CPU of the same rows through the triggers
 * of the bare driver.
 */
export const appendBatch: PairedTrial = {
  name: `append a batch of ${BATCH_SIZE}`,
  unit: "message",
  operations: BATCHES * BATCH_SIZE,
  goal: { ratio: 0.45 },
  engineSkips: (sql) => BULK_INDEXING.test(sql),
  warmUp: (store) => {
    store.messages.appendBatch(TARGET, [{ role: "user", content: "warm" }]);
  },
  run: (store) => {
    for (const batch of batches) store.messages.appendBatch(TARGET, batch);
  },
};

const TURNS = 20;

/** A long transcript handed back after each turn: two messages are new, a thousand are known by their markers. */
export const saveTranscript: PairedTrial = {
  name: "save a transcript of 1,000",
  unit: "save",
  operations: TURNS,
  warmUp: (store) => {
    store.messages.saveTranscript(LONG_SESSION, store.messages.conversation(LONG_SESSION).messages);
  },
  run: (store) => {
    const list: NewMessage[] = [...store.messages.conversation(LONG_SESSION).messages];
    for (let turn = 0; turn < TURNS; turn++) {
      list.push({ role: "user", content: `question ${turn}` }, { role: "assistant", content: `answer ${turn}` });
      store.messages.saveTranscript(LONG_SESSION, list);
    }
  },
};

import { conversation } from "../corpus/corpus.js";
import { seeded } from "../corpus/seeded.js";
import type { PairedTrial } from "./paired-trial.js";

const APPENDS = 200;
const BATCHES = 10;
const BATCH_SIZE = 200;
const TARGET = "s0";

/** Made before anything is measured: the engine's side does not make them either. */
const singles = conversation(seeded(11), APPENDS);
const batches = Array.from({ length: BATCHES }, (_, index) => conversation(seeded(12 + index), BATCH_SIZE));

/** One durable message per call: the goal is at most 1.5 times the CPU of the bare statements. */
export const appendOne: PairedTrial = {
  name: "append one message",
  unit: "message",
  operations: APPENDS,
  goal: { ratio: 1.5 },
  warmUp: (store) => {
    store.messages.append(TARGET, { role: "user", content: "warm" });
  },
  run: (store) => {
    for (const message of singles) store.messages.append(TARGET, message);
  },
};

/** Two hundred messages in one transaction. */
export const appendBatch: PairedTrial = {
  name: `append a batch of ${BATCH_SIZE}`,
  unit: "message",
  operations: BATCHES * BATCH_SIZE,
  warmUp: (store) => {
    store.messages.appendBatch(TARGET, [{ role: "user", content: "warm" }]);
  },
  run: (store) => {
    for (const batch of batches) store.messages.appendBatch(TARGET, batch);
  },
};

import { betterSqlite3Driver, openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { Corpus } from "../corpus/corpus.js";
import { sample } from "../measure/sample.js";
import type { Round, Trial } from "../measure/trial.js";
import type { Op } from "../recording/op.js";
import { Recorder } from "../recording/recorder.js";
import { Replay } from "../recording/replay.js";

/** What a paired trial does with a store. */
export interface PairedTrial extends Omit<Trial, "round"> {
  /** Statements that the engine's side goes without, because its own way does not need them. */
  engineSkips?(sql: string): boolean;
  /** Opens what is opened once, before anything is recorded or measured. */
  warmUp(store: StateStore): void;
  run(store: StateStore): void;
}

interface Recording {
  readonly recorder: Recorder;
  readonly ops: readonly Op[];
}

function record(corpus: Corpus, trial: PairedTrial): Recording {
  const path = corpus.copy();
  const recorder = new Recorder(betterSqlite3Driver);
  try {
    using store = openStateStore({ path, driver: recorder });
    trial.warmUp(store);
    const ops = recorder.record(() => {
      trial.run(store);
    });
    return { recorder, ops: ops.filter(({ sql }) => trial.engineSkips?.(sql) !== true) };
  } finally {
    corpus.remove(path);
  }
}

function runStore(corpus: Corpus, trial: PairedTrial): Round["store"] {
  const path = corpus.copy();
  try {
    using store = openStateStore({ path });
    trial.warmUp(store);
    return sample(() => {
      trial.run(store);
    });
  } finally {
    corpus.remove(path);
  }
}

function runEngine(corpus: Corpus, trial: PairedTrial, recording: Recording): Round["store"] {
  const path = corpus.copy();
  try {
    {
      using store = openStateStore({ path });
      trial.warmUp(store);
    }
    const replay = new Replay(path, recording.recorder.connections);
    try {
      return sample(replay.compile(recording.ops));
    } finally {
      replay.close();
    }
  } finally {
    corpus.remove(path);
  }
}

/**
 * Compares an operation of the store with the statements it causes, recorded once and issued again on bare driver
 * connections with the same settings, each side on a fresh copy of the same file. Unless the trial says what the engine
 * goes without, they are the very same statements.
 */
export function pairedTrial(corpus: Corpus, trial: PairedTrial): Trial {
  let recording: Recording | undefined;
  return {
    ...trial,
    round: (storeFirst) => {
      recording ??= record(corpus, trial);
      const early = storeFirst ? runStore(corpus, trial) : undefined;
      const engine = runEngine(corpus, trial, recording);
      return { store: early ?? runStore(corpus, trial), engine };
    },
  };
}

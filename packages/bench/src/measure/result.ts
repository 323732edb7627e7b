import { median } from "./median.js";
import type { Round, Trial } from "./trial.js";

/** Medians over the rounds of one trial, per operation. */
export interface Result {
  readonly name: string;
  readonly unit: string;
  readonly rounds: number;
  readonly storeCpuUs: number;
  readonly storeWallUs: number;
  readonly engineCpuUs?: number;
  readonly engineWallUs?: number;
  /** Median of the round-by-round ratios of CPU. */
  readonly cpuRatio?: number;
  readonly goal?: Trial["goal"];
}

/** Sums up the rounds of a trial. */
export function summarize(trial: Trial, rounds: readonly Round[]): Result {
  const per = (values: readonly number[]): number => median(values) / trial.operations;
  const paired = rounds.flatMap(({ store, engine }) => (engine === undefined ? [] : [{ store, engine }]));
  return {
    name: trial.name,
    unit: trial.unit,
    rounds: rounds.length,
    storeCpuUs: per(rounds.map(({ store }) => store.cpuUs)),
    storeWallUs: per(rounds.map(({ store }) => store.wallUs)),
    ...(paired.length > 0 && {
      engineCpuUs: per(paired.map(({ engine }) => engine.cpuUs)),
      engineWallUs: per(paired.map(({ engine }) => engine.wallUs)),
      cpuRatio: median(paired.map(({ store, engine }) => store.cpuUs / engine.cpuUs)),
    }),
    ...(trial.goal !== undefined && { goal: trial.goal }),
  };
}

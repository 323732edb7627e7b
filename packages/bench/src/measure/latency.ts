import { sample } from "./sample.js";

/** What stands at the middle and near the end of many single measurements, in microseconds. */
export interface Spread {
  readonly p50Us: number;
  readonly p95Us: number;
}

/** The same questions answered in two ways, measured one by one and in turn. */
export interface LatencyResult {
  readonly name: string;
  readonly floorName: string;
  readonly queries: number;
  readonly storeCpu: Spread;
  readonly storeWall: Spread;
  readonly floorCpu: Spread;
  readonly floorWall: Spread;
  /** p95 of the store's wall time over that of the floor. */
  readonly ratio: number;
  readonly goal: number | undefined;
}

/** Questions, how the store answers them and what it is compared with. */
export interface LatencyTrial {
  readonly name: string;
  readonly floorName: string;
  readonly questions: readonly string[];
  /** What the ratio of the p95 should not exceed; printed, never asserted. */
  readonly goal?: number;
  store(question: string): void;
  floor(question: string): void;
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { p50Us: at(0.5), p95Us: at(0.95) };
}

/** Asks every question once to warm up and then `rounds` times, both ways in turn. */
export function runLatency(trial: LatencyTrial, rounds: number): LatencyResult {
  const { name, floorName, questions, goal } = trial;
  const [store, floor] = [[], []] as [ReturnType<typeof sample>[], ReturnType<typeof sample>[]];
  for (let round = 0; round <= rounds; round++) {
    for (const question of questions) {
      const ways: [ReturnType<typeof sample>[], () => void][] = [
        [
          store,
          () => {
            trial.store(question);
          },
        ],
        [
          floor,
          () => {
            trial.floor(question);
          },
        ],
      ];
      for (const [samples, ask] of round % 2 === 0 ? ways : ways.reverse()) {
        const one = sample(ask);
        if (round > 0) samples.push(one);
      }
    }
  }
  const cpu = (samples: typeof store): Spread => spread(samples.map(({ cpuUs }) => cpuUs));
  const wall = (samples: typeof store): Spread => spread(samples.map(({ wallUs }) => wallUs));
  const [storeWall, floorWall] = [wall(store), wall(floor)];
  return {
    name,
    floorName,
    queries: store.length,
    storeCpu: cpu(store),
    storeWall,
    floorCpu: cpu(floor),
    floorWall,
    ratio: storeWall.p95Us / floorWall.p95Us,
    goal,
  };
}

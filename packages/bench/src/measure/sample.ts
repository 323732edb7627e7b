/** What one run cost this process, in microseconds. */
export interface Sample {
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** Runs `fn` once. CPU is user plus system time of the whole process, the figure to compare on a shared machine. */
export function sample(fn: () => void): Sample {
  const cpu = process.cpuUsage();
  const started = process.hrtime.bigint();
  fn();
  const wallUs = Number(process.hrtime.bigint() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, wallUs };
}

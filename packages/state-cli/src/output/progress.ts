import type { Progress } from "@hermes/state-core";
import type { Output } from "./output.js";

/** Takes the reports of a long operation. */
export type OnProgress = (progress: Progress) => void;

const BAR_CELLS = 24;

const whole = new Intl.NumberFormat("en-US");

/** One line about a long operation: a bar where the amount of work is known, a count where it is not. */
export function progressLine(title: string, { phase, done, total }: Progress): string {
  if (total === undefined) return `${title}: ${phase} ${whole.format(done)}`;
  const share = total > 0 ? Math.min(done / total, 1) : 1;
  const filled = Math.round(share * BAR_CELLS);
  const bar = "=".repeat(filled) + " ".repeat(BAR_CELLS - filled);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${title}: [${bar}] ${percent}%  ${phase} ${whole.format(done)}/${whole.format(total)}`;
}

/**
 * Runs a long operation with a progress bar on standard error: only on a terminal, never with `--quiet` or `--json`.
 * The bar is gone when the operation ends, however it ends.
 *
 * @example
 * ```ts
 * const report = await withProgress(output, "Upgrading", (onProgress) => optimizeStorage(store, { onProgress }));
 * ```
 */
export async function withProgress<T>(
  output: Output,
  title: string,
  run: (onProgress: OnProgress) => T | Promise<T>,
): Promise<T> {
  const stream = output.progressTerminal;
  if (!stream) return await run(() => undefined);
  const { default: cliProgress } = await import("cli-progress");
  let latest: Progress = { phase: "starting", done: 0, total: undefined };
  const bar = new cliProgress.SingleBar({
    stream,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C belongs to the verb, which ends between two steps.
    gracefulExit: false,
    format: () => progressLine(title, latest),
  });
  bar.start(1, 0);
  try {
    return await run((progress) => {
      latest = progress;
      bar.update(0);
    });
  } finally {
    bar.stop();
  }
}

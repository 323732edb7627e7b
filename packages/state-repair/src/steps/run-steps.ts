import { throwIfAborted } from "@hermes/state-core";
import type { Progress, ProgressOptions } from "@hermes/state-core";

/** Long work cut into steps: it yields how far it is wherever it may be stopped. */
export type Steps<T> = Generator<Progress, T, undefined>;

function* reported<T>(steps: Steps<T>, { onProgress, signal }: ProgressOptions): Generator<undefined, T, undefined> {
  throwIfAborted(signal);
  let step = steps.next();
  try {
    while (!step.done) {
      onProgress?.(step.value);
      yield;
      throwIfAborted(signal);
      step = steps.next();
    }
    return step.value;
  } finally {
    // An abort ends the work where it stands; what it holds open is closed by its own `finally`.
    steps.return(undefined as T);
  }
}

/**
 * Runs work to its end without giving anything else a turn.
 *
 * @throws the signal's reason, and whatever the work throws
 */
export function runSteps<T>(steps: Steps<T>, options: ProgressOptions = {}): T {
  const running = reported(steps, options);
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs work to its end and lets everything else of the process have a turn between two steps, so that a signal can be
 * aborted by a key or a timer.
 *
 * @throws the signal's reason, and whatever the work throws
 */
export async function runStepsApart<T>(steps: Steps<T>, options: ProgressOptions = {}): Promise<T> {
  const running = reported(steps, options);
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

import { setTimeout } from "node:timers/promises";
import { type Clock, isStateError, throwIfAborted } from "@hermes/state-core";

/** How long work in steps rests between two of them. */
export interface PauseOptions {
  /**
   * Milliseconds between two steps in which other writers get their turn, or four times what the step took if that is
   * longer; 0 does not rest.
   */
  readonly pauseMs?: number | undefined;
  /** Waits; the system's timer by default. Rejects with the signal's reason when it aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Work in steps, each a short write of its own. */
export interface SteppedWork {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly pause: PauseOptions["pause"];
  /** Milliseconds to rest now, see {@link PauseOptions.pauseMs}. */
  rest(): number;
  /** Does one step. @returns True while work remains. */
  step(): boolean;
  /** Called after each step that was done. */
  stepped(): void;
}

/** Milliseconds between two steps where others use the store. */
export const PAUSE_MS = 200;

/** At most a fifth of the time is spent in steps. */
const REST = 4;

/** Each attempt has waited for the file with a write's whole patience already. */
const MOST_BUSY = 3;

/** Waits by the timer of the system. */
export async function pauseByTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    // The timer has an error of its own for this; callers know the reason they gave.
    throwIfAborted(signal);
    throw error;
  }
}

/** Checks how long to rest. @throws TypeError, RangeError */
export function checkPause(what: string, { pauseMs }: PauseOptions): void {
  if (pauseMs === undefined) return;
  if (typeof pauseMs !== "number") throw new TypeError(`${what}: pauseMs must be a number, not ${typeof pauseMs}.`);
  if (!Number.isFinite(pauseMs) || pauseMs < 0) {
    throw new RangeError(`${what}: pauseMs must be 0 or more milliseconds, not ${String(pauseMs)}.`);
  }
}

/**
 * Does work step by step to its end. A file that stays busy is tried again, a few times in a row and no more; any other
 * error ends the work at once, so nothing permanent is tried for ever (SEA-08, SEA-12).
 *
 * @returns How many steps were done.
 * @throws The signal's reason between two steps; whatever a step throws.
 */
export async function runSteps(work: SteppedWork): Promise<number> {
  const { clock, signal, pause = pauseByTimer } = work;
  let steps = 0;
  let busy = 0;
  for (;;) {
    throwIfAborted(signal);
    const started = clock.monotonicMs();
    const more = attempt(work, busy);
    busy = more === undefined ? busy + 1 : 0;
    if (more !== undefined) steps += 1;
    if (more === false) return steps;
    const rest = work.rest();
    // Without a rest the event loop still gets its turn: a signal must be heard.
    await pause(rest === 0 ? 0 : Math.max(rest, REST * (clock.monotonicMs() - started)), signal);
  }
}

/** @returns Undefined when the file was busy. */
function attempt(work: SteppedWork, busy: number): boolean | undefined {
  let more: boolean;
  try {
    more = work.step();
  } catch (error) {
    if (isStateError(error, "STATE_E_BUSY") && busy + 1 < MOST_BUSY) return undefined;
    throw error;
  }
  work.stepped();
  return more;
}

/** One report of a long operation; `total` is `undefined` while the amount of work is not known. */
export interface Progress {
  /** The part of the operation that is under way, a short word in lower case. */
  readonly phase: string;
  /** Units of work done so far in this phase. */
  readonly done: number;
  /** Units of work of this phase. */
  readonly total: number | undefined;
}

/** What every long operation takes: a listener and a way to stop it between two steps. */
export interface ProgressOptions {
  /** Called after each step; what it throws ends the operation as an abort would. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Looked at between two steps; a step that has begun is finished first. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Throws the reason of an aborted signal, and does nothing otherwise.
 *
 * @param signal - the caller's signal, if any
 * @throws the signal's reason
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
}

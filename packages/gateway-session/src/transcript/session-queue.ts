import { byArrival } from "./waiting-message.js";
import type { WaitingMessage } from "./waiting-message.js";

/** The messages of one session that are not stored yet, first in first out. */
export class SessionQueue {
  readonly sessionId: string;
  /** Failures in a row. */
  failures = 0;
  /** The last of them. */
  problem: Error | undefined;
  #waiting: WaitingMessage[] = [];

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get head(): WaitingMessage | undefined {
    return this.#waiting[0];
  }

  /** Oldest first. */
  get all(): readonly WaitingMessage[] {
    return this.#waiting;
  }

  /** Those in memory only, oldest first. */
  get inMemory(): readonly WaitingMessage[] {
    return this.#waiting.filter((waiting) => waiting.file === undefined);
  }

  push(waiting: WaitingMessage): void {
    this.#waiting.push(waiting);
  }

  /** Puts messages of another process where they came in. */
  insert(leftOver: readonly WaitingMessage[]): void {
    for (const message of leftOver) {
      const later = this.#waiting.findIndex((other) => byArrival(message, other) < 0);
      this.#waiting.splice(later < 0 ? this.#waiting.length : later, 0, message);
    }
  }

  remove(waiting: WaitingMessage): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Moves everything in front of what another queue holds: what waited for the parent comes first (7.11). */
  moveBefore(other: SessionQueue): void {
    other.#waiting = [...this.#waiting, ...other.#waiting];
    other.failures = Math.max(other.failures, this.failures);
    other.problem ??= this.problem;
    this.#waiting = [];
  }
}

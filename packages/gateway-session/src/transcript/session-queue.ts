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

  /** Puts a message of another process where it came in. */
  insert(leftOver: WaitingMessage): void {
    const before = this.#waiting.findLastIndex((other) => byArrival(other, leftOver) <= 0);
    this.#waiting.splice(before + 1, 0, leftOver);
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

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

  /** Moves everything to another queue, in the order they came in: the older backlog goes first (7.11). */
  mergeInto(other: SessionQueue): void {
    const [mine, theirs] = [this.#waiting, other.#waiting];
    const merged: WaitingMessage[] = [];
    for (let m = 0, t = 0; m < mine.length || t < theirs.length;) {
      const [first, second] = [mine[m], theirs[t]];
      if (first !== undefined && (second === undefined || byArrival(first, second) <= 0))
        merged.push(mine[m++] ?? first);
      else if (second !== undefined) merged.push(theirs[t++] ?? second);
    }
    this.#waiting = [];
    other.#waiting = merged;
    other.failures = Math.max(other.failures, this.failures);
    other.problem ??= this.problem;
  }
}

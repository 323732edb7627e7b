import type { Progress } from "@hermes/state-core";
import type { IncomingRow } from "./import-reader.js";
import { importStopped } from "./pause.js";

/** Messages between two reports, and two looks at the signal. */
const STEP = 500;

/**
 * Tells how far an import is, and lets it be stopped in the middle of a session, which is then not there at all. What
 * it tells never goes back, though a transaction may be begun again.
 */
export class ImportProgress {
  #total = 0;
  /** Messages of sessions that are dealt with. */
  #done = 0;
  /** Rows of the transaction that is open. */
  #ahead = 0;
  #told = 0;
  #imported = 0;

  constructor(
    private readonly onProgress: ((progress: Progress) => void) | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** The first pass has judged so many lines. */
  judged(lines: number): void {
    this.onProgress?.({ phase: "reading", done: lines, total: undefined });
  }

  /** The second pass begins. */
  begin(messages: number): void {
    this.#total = messages;
    this.#report(0);
  }

  /** A transaction begins, maybe not for the first time. */
  beginTransaction(): void {
    this.#ahead = 0;
  }

  /** Goes along with the rows of one session as they are written. */
  *follow(rows: Iterable<IncomingRow>): Generator<IncomingRow> {
    for (const row of rows) {
      yield row;
      if ((this.#ahead += 1) % STEP !== 0) continue;
      this.#report(this.#done + this.#ahead);
      if (this.signal?.aborted) throw importStopped(this.signal, this.#imported);
    }
  }

  /** One session is done with, and its transaction is over. */
  passed(messages: number): void {
    this.#done += messages;
    this.#imported += 1;
    this.#report(this.#done);
  }

  #report(done: number): void {
    this.#told = Math.max(this.#told, Math.min(done, this.#total));
    this.onProgress?.({ phase: "importing", done: this.#told, total: this.#total });
  }
}

import type { Progress } from "@hermes/state-core";
import type { IncomingRow } from "./import-reader.js";
import { importStopped } from "./pause.js";

/** Messages between two reports, and two looks at the signal. */
const STEP = 500;

/** Tells how far an import is, and lets it be stopped in the middle of a session, which is then not there at all. */
export class ImportProgress {
  #done = 0;
  #total = 0;
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
    this.#report();
  }

  /** Goes along with the rows of one session as they are written. */
  *follow(rows: Iterable<IncomingRow>): Generator<IncomingRow> {
    let read = 0;
    for (const row of rows) {
      yield row;
      if ((read += 1) % STEP === 0) {
        this.onProgress?.({ phase: "importing", done: Math.min(this.#done + read, this.#total), total: this.#total });
        if (this.signal?.aborted) throw importStopped(this.signal, this.#imported);
      }
    }
  }

  /** One session is done with. */
  passed(messages: number): void {
    this.#done += messages;
    this.#imported += 1;
    this.#report();
  }

  #report(): void {
    this.onProgress?.({ phase: "importing", done: this.#done, total: this.#total });
  }
}

import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A place in a file of lines: the byte offset of a line, and its number. */
export interface LineMark {
  readonly offset: number;
  /** Counted from 1, as editors do. */
  readonly number: number;
}

/** One line of a file, without its newline. */
export interface SourceLine extends LineMark {
  /** The bytes, or undefined when the line is longer than allowed: then it was skipped without being held. */
  readonly bytes: Buffer | undefined;
  /** Length in bytes, without the newline. */
  readonly length: number;
  /** False for a last line that does not end in a newline: a sign of a cut file. */
  readonly terminated: boolean;
}

/**
 * Reads a file line by line at constant memory, and can go back to a place it has seen. Synchronous, because a
 * session is written in one synchronous transaction (POR-02).
 */
export class LineReader implements Disposable {
  readonly #descriptor: number;
  readonly #chunk: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #filled = 0;
  #used = 0;
  #readAt = 0;
  #offset = 0;
  #number = 1;

  /** @param maxLineBytes - Longer lines are skipped, not held. */
  constructor(
    path: string,
    private readonly maxLineBytes: number,
  ) {
    this.#descriptor = openSync(path, "r");
  }

  /** Where the next line begins. */
  mark(): LineMark {
    return { offset: this.#offset, number: this.#number };
  }

  /** Goes to a line seen earlier. */
  seek(mark: LineMark): void {
    this.#offset = mark.offset;
    this.#number = mark.number;
    this.#readAt = mark.offset;
    this.#filled = 0;
    this.#used = 0;
  }

  /** The next line, or undefined at the end of the file. */
  next(): SourceLine | undefined {
    const offset = this.#offset;
    const number = this.#number;
    const parts: Buffer[] = [];
    let length = 0;
    let terminated = false;
    while (!terminated && this.#fill()) {
      const end = this.#chunk.indexOf(NEWLINE, this.#used);
      terminated = end >= 0 && end < this.#filled;
      const stop = terminated ? end : this.#filled;
      const size = stop - this.#used;
      if (length + size <= this.maxLineBytes) parts.push(Buffer.from(this.#chunk.subarray(this.#used, stop)));
      else parts.length = 0;
      length += size;
      this.#used = terminated ? stop + 1 : stop;
    }
    if (length === 0 && !terminated) return undefined;
    this.#offset = offset + length + (terminated ? 1 : 0);
    this.#number = number + 1;
    const bytes = length > this.maxLineBytes ? undefined : joined(parts);
    return { offset, number, bytes, length, terminated };
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #fill(): boolean {
    if (this.#used < this.#filled) return true;
    this.#filled = readSync(this.#descriptor, this.#chunk, 0, CHUNK_BYTES, this.#readAt);
    this.#readAt += this.#filled;
    this.#used = 0;
    return this.#filled > 0;
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { PRIVATE_MODE } from "@hermes/state-core";
import type { Random } from "@hermes/state-core";

/** A log whose checksums take words in little-endian order. */
const MAGIC = 0x377f0682;
const FORMAT = 3_007_000;
const HEADER_BYTES = 32;
const HEADER_SUMMED = 24;
const FRAME_HEADER_BYTES = 24;
const FRAME_SUMMED = 8;
/** SQLite locks this byte and keeps no page there. */
const LOCK_BYTE = 0x4000_0000;
const PAGE_SIZE_AT = 16;
const LARGEST_PAGE = 65_536;
const SHORTEST_HEADER = 100;

/** Running checksum of a log. */
interface Sum {
  a: number;
  b: number;
}

function add(sum: Sum, bytes: Buffer, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let { a, b } = sum;
  for (let at = 0; at < length; at += 8) {
    a = (a + view.getUint32(at, true) + b) | 0;
    b = (b + view.getUint32(at + 4, true) + a) | 0;
  }
  sum.a = a >>> 0;
  sum.b = b >>> 0;
}

/** Size of the pages of a database, from the beginning of its first one. */
export function pageSizeOf(head: Buffer): number {
  if (head.length < SHORTEST_HEADER) throw new RangeError("the first bytes of a database are missing");
  const stored = head.readUInt16BE(PAGE_SIZE_AT);
  return stored === 1 ? LARGEST_PAGE : stored;
}

/**
 * Writes a write-ahead log that holds every page of a database in one committed transaction: beside whatever main
 * file, SQLite reads that database. So one rename of this log over the log of a store turns the store into the other
 * one, all at once, which no order of renaming and removing two files can.
 */
export class TransitionLog implements Disposable {
  readonly #descriptor: number;
  readonly #pageSize: number;
  readonly #pages: number;
  readonly #salts: Buffer;
  readonly #sum: Sum = { a: 0, b: 0 };
  readonly #frame: Buffer;
  #filled = 0;
  #page = 0;

  /**
   * @param path - A name that is free.
   * @param pageSize - Of the database, in bytes.
   * @param bytes - Size of the database.
   */
  constructor(path: string, pageSize: number, bytes: number, random: Random) {
    if (bytes % pageSize !== 0)
      throw new RangeError(`${String(bytes)} bytes are no whole pages of ${String(pageSize)}`);
    this.#pageSize = pageSize;
    this.#pages = bytes / pageSize;
    this.#salts = Buffer.from(random.hex(8), "hex");
    this.#frame = Buffer.alloc(FRAME_HEADER_BYTES + pageSize);
    this.#descriptor = openSync(path, "wx", PRIVATE_MODE);
    this.#write(this.#header());
  }

  /** Takes the next bytes of the database, in order. */
  append(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const length = Math.min(piece.length - at, this.#pageSize - this.#filled);
      piece.copy(this.#frame, FRAME_HEADER_BYTES + this.#filled, at, at + length);
      this.#filled += length;
      at += length;
      if (this.#filled === this.#pageSize) this.#endPage();
    }
  }

  /** Makes the log durable; it is whole once every byte was given. */
  sync(): void {
    if (this.#page !== this.#pages || this.#filled !== 0)
      throw new RangeError("the database changed while it was read");
    fsyncSync(this.#descriptor);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #header(): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(MAGIC, 0);
    header.writeUInt32BE(FORMAT, 4);
    header.writeUInt32BE(this.#pageSize, 8);
    this.#salts.copy(header, 16);
    add(this.#sum, header, HEADER_SUMMED);
    header.writeUInt32BE(this.#sum.a, 24);
    header.writeUInt32BE(this.#sum.b, 28);
    return header;
  }

  /** The last page commits the whole; its frame says how many pages there are. */
  #endPage(): void {
    const frame = this.#frame;
    this.#filled = 0;
    this.#page += 1;
    if (this.#page === LOCK_BYTE / this.#pageSize + 1 && this.#page !== this.#pages) return;
    frame.writeUInt32BE(this.#page, 0);
    frame.writeUInt32BE(this.#page === this.#pages ? this.#pages : 0, 4);
    this.#salts.copy(frame, 8);
    add(this.#sum, frame, FRAME_SUMMED);
    add(this.#sum, frame.subarray(FRAME_HEADER_BYTES), this.#pageSize);
    frame.writeUInt32BE(this.#sum.a, 16);
    frame.writeUInt32BE(this.#sum.b, 20);
    this.#write(frame);
  }

  #write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
  }
}

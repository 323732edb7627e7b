import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes that can be read anywhere, a file or a buffer. */
export interface ByteSource extends Disposable {
  readonly size: number;
  /**
   * Up to `length` bytes from `offset`, fewer at the end. The result may share memory: it is only read.
   */
  read(offset: number, length: number): Buffer;
}

/** Bytes of one read of a file: a multiple of every page size. */
const BLOCK = 65_536;
/** Blocks kept, 16 MiB whatever the size of the file. */
const KEPT_BLOCKS = 256;

class MemoryBytes implements ByteSource {
  readonly #bytes: Buffer;
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  get size(): number {
    return this.#bytes.length;
  }
  read(offset: number, length: number): Buffer {
    return this.#bytes.subarray(offset, offset + length);
  }
  [Symbol.dispose](): void {
    // Memory needs no closing.
  }
}

/** A file read in blocks; the oldest of them go first. */
class FileBytes implements ByteSource {
  readonly size: number;
  readonly #descriptor: number;
  readonly #blocks = new Map<number, Buffer>();
  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    this.size = fstatSync(this.#descriptor).size;
  }

  read(offset: number, length: number): Buffer {
    const start = offset % BLOCK;
    if (start + length <= BLOCK) return this.#block(offset - start).subarray(start, start + length);
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.size - offset)));
    return bytes.subarray(0, readFully(this.#descriptor, bytes, offset));
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #block(offset: number): Buffer {
    const kept = this.#blocks.get(offset);
    if (kept) return kept;
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(BLOCK, this.size - offset)));
    const block = bytes.subarray(0, readFully(this.#descriptor, bytes, offset));
    if (this.#blocks.size >= KEPT_BLOCKS) {
      const oldest = this.#blocks.keys().next();
      if (!oldest.done) this.#blocks.delete(oldest.value);
    }
    this.#blocks.set(offset, block);
    return block;
  }
}

function readFully(descriptor: number, bytes: Buffer, offset: number): number {
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, offset + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

/** Opens a file, or wraps bytes, for reading at any place. */
export function openBytes(source: string | Uint8Array): ByteSource {
  return typeof source === "string" ? new FileBytes(source) : new MemoryBytes(source);
}

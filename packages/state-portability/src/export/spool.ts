import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;

/**
 * Holds what one snapshot produced until a slower reader has taken it: up to 1 MiB in memory, the rest in a private
 * temporary file. So a session is read in one transaction, however long the receiving end takes, at constant memory.
 */
export class Spool implements Disposable {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #overflow: { readonly folder: string; readonly descriptor: number } | undefined;

  /** Adds text, as UTF-8. */
  write(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MEMORY_BYTES) this.#flush();
  }

  /** Everything written, once and in order; nothing may be written while it is read. */
  *chunks(): Generator<Buffer> {
    if (this.#overflow) {
      this.#flush();
      yield* readFromStart(this.#overflow.descriptor);
    } else if (this.#pendingBytes > 0) {
      yield Buffer.concat(this.#pending);
    }
  }

  /** Removes the temporary file, if one was needed. */
  [Symbol.dispose](): void {
    if (!this.#overflow) return;
    closeSync(this.#overflow.descriptor);
    rmSync(this.#overflow.folder, { recursive: true, force: true });
    this.#overflow = undefined;
  }

  #flush(): void {
    this.#overflow ??= openOverflow();
    for (const bytes of this.#pending) writeWhole(this.#overflow.descriptor, bytes);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** Where the system allows it the file loses its name at once, so that not even a killed process leaves it behind. */
function openOverflow(): { folder: string; descriptor: number } {
  const folder = mkdtempSync(join(tmpdir(), "hermes-spool-"));
  const descriptor = openSync(join(folder, "spool"), "wx+", 0o600);
  if (process.platform !== "win32") rmSync(folder, { recursive: true, force: true });
  return { folder, descriptor };
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(descriptor, bytes, written, bytes.length - written);
  }
}

function* readFromStart(descriptor: number): Generator<Buffer> {
  for (let offset = 0; ;) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    const size = readSync(descriptor, chunk, 0, READ_BYTES, offset);
    if (size === 0) return;
    offset += size;
    yield chunk.subarray(0, size);
  }
}

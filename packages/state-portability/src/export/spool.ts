import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PRIVATE_MODE, StateError } from "@hermes/state-core";

const MEMORY_BYTES = 256 * 1024;

/**
 * Holds what one snapshot produced until a slower reader has taken it: up to 256 KiB in memory, the rest in a private
 * temporary file. So a session is read in one transaction, however long the receiving end takes, at constant memory.
 */
export class Spool implements Disposable {
  readonly #pending: Buffer = Buffer.allocUnsafe(MEMORY_BYTES);
  #pendingBytes = 0;
  #overflow: { readonly folder: string; readonly descriptor: number } | undefined;

  /** Adds text, as UTF-8. */
  write(text: string): void {
    const size = Buffer.byteLength(text, "utf8");
    if (this.#pendingBytes + size > MEMORY_BYTES) this.#flush();
    if (size > MEMORY_BYTES) {
      this.#overflow ??= withTemporaryFile(openOverflow);
      writeWhole(this.#overflow.descriptor, Buffer.from(text, "utf8"));
    } else this.#pendingBytes += this.#pending.write(text, this.#pendingBytes, "utf8");
  }

  /**
   * Everything written, once and in order; nothing may be written while it is read. A chunk is good until the next one
   * is asked for: they share their memory.
   */
  *chunks(): Generator<Buffer> {
    if (this.#overflow) {
      this.#flush();
      yield* readFromStart(this.#overflow.descriptor, this.#pending);
    } else if (this.#pendingBytes > 0) {
      yield this.#pending.subarray(0, this.#pendingBytes);
    }
  }

  /** Forgets everything, and removes the temporary file if one was needed. */
  clear(): void {
    this.#pendingBytes = 0;
    if (!this.#overflow) return;
    closeSync(this.#overflow.descriptor);
    rmSync(this.#overflow.folder, { recursive: true, force: true });
    this.#overflow = undefined;
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  #flush(): void {
    this.#overflow ??= withTemporaryFile(openOverflow);
    writeWhole(this.#overflow.descriptor, this.#pending.subarray(0, this.#pendingBytes));
    this.#pendingBytes = 0;
  }
}

/** Where the system allows it the file loses its name at once, so that not even a killed process leaves it behind. */
function openOverflow(): { folder: string; descriptor: number } {
  const folder = mkdtempSync(join(tmpdir(), "hermes-spool-"));
  const descriptor = openSync(join(folder, "spool"), "wx+", PRIVATE_MODE);
  if (process.platform !== "win32") rmSync(folder, { recursive: true, force: true });
  return { folder, descriptor };
}

/** @throws STATE_E_EXPORT_SPOOL when the folder for temporary files takes no more. */
function withTemporaryFile<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const folder = tmpdir();
    throw new StateError(
      "STATE_E_EXPORT_SPOOL",
      `The export needs a temporary file, and ${folder} takes no more (${reason}). Free some space there, or name ` +
        "another folder in TMPDIR.",
      { folder, reason },
      { cause: error },
    );
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  withTemporaryFile(() => {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(descriptor, bytes, written, bytes.length - written);
    }
  });
}

function* readFromStart(descriptor: number, chunk: Buffer): Generator<Buffer> {
  for (let offset = 0; ;) {
    const size = readSync(descriptor, chunk, 0, chunk.length, offset);
    if (size === 0) return;
    offset += size;
    yield chunk.subarray(0, size);
  }
}

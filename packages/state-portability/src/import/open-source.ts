import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openOfflineScope, PRIVATE_MODE, StateError } from "@hermes/state-core";
import { isStoreFile } from "../files/is-store-file.js";
import { importStopped } from "./pause.js";

/** What an import reads: a file, or a stream of bytes such as standard input. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

/** A file to read, and how to let go of it. */
export interface OpenedSource extends Disposable {
  readonly path: string;
  /** As the caller knows it. */
  readonly name: string;
}

/**
 * Makes a source readable twice: a file as it is, a stream through a private temporary file.
 *
 * @param storePath - The store's own files are refused before they are opened: reading one would drop its locks
 * (COR-07).
 * @param signal - Stops waiting for a stream.
 * @throws STATE_E_IMPORT_MISSING when there is no such file; STATE_E_IMPORT_SOURCE when it is a folder or part of the
 * store; STATE_E_LIVE_CONNECTION when this process has it open as a store; STATE_E_ABORTED.
 */
export async function openSource(storePath: string, source: ImportSource, signal?: AbortSignal): Promise<OpenedSource> {
  if (typeof source !== "string") return await spooled(source, "the stream", signal);
  const path = resolve(source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) {
    const message = `The import source ${path} does not exist. Check the path.`;
    throw new StateError("STATE_E_IMPORT_MISSING", message, { path });
  }
  if (isStoreFile(storePath, path)) {
    throw refused(path, "belongs to the store itself", "Export the store, then import that.");
  }
  if (stat.isDirectory()) throw refused(path, "is a folder", "Name one file.");
  if (!stat.isFile()) return await spooled(createReadStream(path), path, signal);
  const scope = openOfflineScope(path);
  return { path, name: path, [Symbol.dispose]: () => scope[Symbol.dispose]() };
}

async function spooled(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<OpenedSource> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-import-"));
  const path = join(folder, "source");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await copyStream(stream, path, signal);
  } catch (error) {
    remove();
    throw error;
  }
  return { path, name, [Symbol.dispose]: remove };
}

async function copyStream(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const descriptor = openSync(path, "wx", PRIVATE_MODE);
  const chunks = stream[Symbol.asyncIterator]();
  const stopped = whenAborted(signal);
  try {
    for (;;) {
      const step = await Promise.race([chunks.next(), stopped]);
      if (step.done) return;
      writeWhole(descriptor, step.value);
    }
  } finally {
    closeSync(descriptor);
    // A stream that was left in the middle would keep the process alive.
    if (signal?.aborted) (stream as { destroy?: () => void }).destroy?.();
  }
}

/** Rejects once the signal says stop; without one it waits for ever. */
function whenAborted(signal: AbortSignal | undefined): Promise<never> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(importStopped(signal, 0));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
  // When nobody waits for it any more, its rejection is no news.
  stopped.catch(() => undefined);
  return stopped;
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done);
}

function refused(path: string, reason: string, action: string): StateError {
  return new StateError("STATE_E_IMPORT_SOURCE", `The import source ${path} ${reason}. ${action}`, { path, reason });
}

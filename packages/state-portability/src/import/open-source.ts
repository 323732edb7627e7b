import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { StateError } from "@hermes/state-core";
import { isStoreFile } from "../files/is-store-file.js";

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
 * @throws STATE_E_IMPORT_MISSING when there is no such file; STATE_E_IMPORT_SOURCE when it is a folder or part of the
 * store.
 */
export async function openSource(storePath: string, source: ImportSource): Promise<OpenedSource> {
  if (typeof source !== "string") return spooled(source);
  const path = resolve(source);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) {
    throw new StateError("STATE_E_IMPORT_MISSING", `The import source ${path} does not exist. Check the path.`, {
      path,
    });
  }
  if (isStoreFile(storePath, path))
    throw refused(path, "belongs to the store itself", "Export the store, then import that.");
  if (stat.isDirectory()) throw refused(path, "is a folder", "Name one file.");
  if (stat.isFile()) return { path, name: path, [Symbol.dispose]: () => undefined };
  const { createReadStream } = await import("node:fs");
  return { ...(await spooled(createReadStream(path))), name: path };
}

async function spooled(stream: AsyncIterable<Uint8Array>): Promise<OpenedSource> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-import-"));
  const path = join(folder, "source");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const descriptor = openSync(path, "wx", 0o600);
    try {
      for await (const chunk of stream) {
        for (let done = 0; done < chunk.length;) done += writeSync(descriptor, chunk, done, chunk.length - done);
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { path, name: "standard input", [Symbol.dispose]: remove };
}

function refused(path: string, reason: string, action: string): StateError {
  return new StateError("STATE_E_IMPORT_SOURCE", `The import source ${path} ${reason}. ${action}`, { path, reason });
}

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { openOfflineScope, throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";

const CHUNK_BYTES = 1_048_576;

/** What a file holds. */
export interface FileDigest {
  readonly bytes: number;
  /** In lower-case hex. */
  readonly sha256: string;
}

/**
 * Reads a database file that nobody of this process has open (COR-07), piece by piece.
 *
 * @param onPiece - Given each piece in order; it is reused for the next one.
 */
export async function digestFile(
  path: string,
  phase: string,
  { onProgress, signal }: ProgressOptions,
  onPiece: (piece: Buffer) => void | Promise<void> = () => undefined,
): Promise<FileDigest> {
  using scope = openOfflineScope(path);
  const file = await open(scope.path, "r");
  try {
    const total = (await file.stat()).size;
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let done = 0;
    for (;;) {
      throwIfAborted(signal);
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, done);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      await onPiece(piece);
      done += bytesRead;
      onProgress?.({ phase, done, total: Math.max(total, done) });
    }
    return { bytes: done, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

import type { FileHandle } from "node:fs/promises";
import { dataRanges } from "@hermes/state-core";

const CHUNK_BYTES = 262_144;

/** Unit of `blocks`, whatever the volume. */
const BLOCK_BYTES = 512;

/** A stretch of a file: bytes that were read, or a hole that reads as zero. The bytes are valid until the next one. */
export type Stretch =
  | { readonly kind: "data"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "hole"; readonly position: number; readonly length: number };

/** The file grew shorter while it was read. */
export class FileShrank extends Error {
  override readonly name: string = "FileShrank";
}

/** An ordinary file is read whole: only where holes make the difference is the system asked for them. */
async function isSparse(file: FileHandle, size: number): Promise<boolean> {
  return (await file.stat()).blocks * BLOCK_BYTES < size / 2;
}

/**
 * Reads a file from its start to `size` in small pieces, without reading its holes where the system tells of them, so
 * that a huge sparse file costs what it holds.
 *
 * @param size - Bytes to read; what is appended later is left out.
 */
export async function* readRanges(file: FileHandle, size: number): AsyncGenerator<Stretch> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  const ranges = (await isSparse(file, size)) ? dataRanges(file.fd, size) : [{ start: 0, end: size }];
  for (const { start, end } of ranges) {
    if (start > position) yield { kind: "hole", position, length: start - position };
    position = start;
    while (position < end) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, end - position), position);
      if (bytesRead === 0) throw new FileShrank(`${String(size)} bytes were promised, ${String(position)} are there`);
      yield { kind: "data", position, bytes: buffer.subarray(0, bytesRead) };
      position += bytesRead;
    }
  }
  if (position < size) yield { kind: "hole", position, length: size - position };
}

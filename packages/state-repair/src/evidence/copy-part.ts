import { constants, copyFile, open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { PRIVATE_MODE } from "@hermes/state-core";
import type { ByteStep } from "./byte-step.js";
import type { FilePart } from "./file-parts.js";
import { readRanges } from "./read-ranges.js";

/** Lets the volume share the blocks, where it can: no time and no room, whatever the size. */
async function shareBlocks(source: string, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    // Most volumes cannot; a real obstacle meets the plain copy again, which reports it.
    return false;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function copyBytes(source: string, target: FileHandle, size: number, step: ByteStep): Promise<void> {
  const from = await open(source, "r");
  try {
    for await (const stretch of readRanges(from, size)) {
      if (stretch.kind === "data") await writeAll(target, stretch.bytes, stretch.position);
      await step(stretch.kind === "data" ? stretch.bytes.length : stretch.length);
    }
    // A file that ends in a hole has its size from here.
    await target.truncate(size);
  } finally {
    await from.close();
  }
}

/**
 * Copies one file byte by byte with its times, readable by its owner only, and on disk when this returns. Holes stay
 * holes.
 *
 * @param target - A name that is free.
 */
export async function copyPart(part: FilePart, target: string, step: ByteStep): Promise<void> {
  const { atime, mtime } = await stat(part.path);
  const shared = await shareBlocks(part.path, target);
  const file = await open(target, shared ? "r+" : "wx", PRIVATE_MODE);
  try {
    if (shared) await step(part.bytes);
    else await copyBytes(part.path, file, part.bytes, step);
    await file.chmod(PRIVATE_MODE);
    await file.utimes(atime, mtime);
    await file.sync();
  } finally {
    await file.close();
  }
}

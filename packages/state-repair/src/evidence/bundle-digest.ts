import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ByteStep } from "./byte-step.js";
import type { FilePart } from "./file-parts.js";
import { readRanges } from "./read-ranges.js";
import type { Stretch } from "./read-ranges.js";

const ZEROS = Buffer.alloc(262_144);

async function addHole(hash: Hash, length: number, step: ByteStep): Promise<void> {
  for (let left = length; left > 0; left -= ZEROS.length) {
    const piece = Math.min(left, ZEROS.length);
    hash.update(piece === ZEROS.length ? ZEROS : ZEROS.subarray(0, piece));
    await step(piece);
  }
}

async function addStretch(hash: Hash, stretch: Stretch, step: ByteStep): Promise<void> {
  if (stretch.kind === "hole") return addHole(hash, stretch.length, step);
  hash.update(stretch.bytes);
  await step(stretch.bytes.length);
}

/**
 * What makes two bundles the same: a digest of every byte of every part, each led by its name and size. Never the
 * fingerprint, which an inner page does not move (REP-02).
 *
 * @param parts - Main file and sidecars, in that order.
 */
export async function bundleDigest(parts: readonly FilePart[], step: ByteStep): Promise<string> {
  const hash = createHash("sha256");
  for (const { suffix, path, bytes } of parts) {
    hash.update(`\0${suffix === "" ? "main" : suffix}:${String(bytes)}\0`);
    const file = await open(path, "r");
    try {
      for await (const stretch of readRanges(file, bytes)) await addStretch(hash, stretch, step);
    } finally {
      await file.close();
    }
  }
  return hash.digest("hex");
}

import { mkdtemp, rm } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openOfflineScope } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { byteStep } from "../../evidence/byte-step.js";
import { copyPart } from "../../evidence/copy-part.js";
import { presentParts, sameParts, totalBytes } from "../../evidence/file-parts.js";
import { volumeSpace } from "../../evidence/space-guard.js";

const COPIED = new Set(["", "-wal", "-journal"]);
const ATTEMPTS = 3;
const HEADROOM_BYTES = 64 * 1024 * 1024;

/** A copy that goes with its folder. */
export interface PrivateCopy extends Disposable {
  readonly path: string;
}

/** Why no copy could be taken; says what to do. */
export class NoCopy extends Error {}

/**
 * Copies a database with its log and journal into a folder of its own, for its owner only. Nothing of this process has
 * it open meanwhile (COR-07); a copy during which the files changed does not count.
 *
 * @param path - Canonical path.
 * @throws NoCopy when there is no room, or the files do not hold still.
 */
export async function takePrivateCopy(path: string, options: ProgressOptions): Promise<PrivateCopy> {
  const folder = await mkdtemp(join(tmpdir(), "hermes-check-"));
  try {
    const copy = join(folder, basename(path));
    await copyUnchanged(path, copy, options);
    return { path: copy, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function copyUnchanged(path: string, copy: string, options: ProgressOptions): Promise<void> {
  using scope = openOfflineScope(path);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const parts = presentParts(scope.path).filter(({ suffix }) => COPIED.has(suffix));
    refuseWithoutRoom(totalBytes(parts));
    const step = byteStep("copy", totalBytes(parts), options);
    for (const part of parts) {
      await rm(copy + part.suffix, { force: true });
      await copyPart(part, copy + part.suffix, step);
    }
    const now = presentParts(scope.path).filter(({ suffix }) => COPIED.has(suffix));
    if (sameParts(parts, now)) return;
  }
  throw new NoCopy("the files change while they are copied; check again when nothing writes to them");
}

function refuseWithoutRoom(bytes: number): void {
  const { freeBytes } = volumeSpace(tmpdir());
  if (freeBytes - bytes >= HEADROOM_BYTES) return;
  throw new NoCopy(`looking at it needs a copy, and ${tmpdir()} has room for ${freeBytes} of ${bytes} bytes`);
}

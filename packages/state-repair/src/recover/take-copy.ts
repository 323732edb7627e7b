import { canonicalPath, findHolders, openOfflineScope, StateError } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { byteStep } from "../evidence/byte-step.js";
import { copyPart } from "../evidence/copy-part.js";
import { type FilePart, presentParts, sameParts, totalBytes } from "../evidence/file-parts.js";
import { fingerprintOf } from "../evidence/fingerprint.js";
import { FileShrank } from "../evidence/read-ranges.js";
import { liveWriterRefusal } from "../guard/live-writer.js";

/** The source as it was when it was copied. */
export interface SourceCopy {
  readonly parts: readonly FilePart[];
  readonly fingerprint: string | null;
}

function changed(path: string, cause?: unknown): StateError {
  return new StateError(
    "STATE_E_SOURCE_CHANGED",
    `${path} was written to while it was copied. Stop the program that uses it, and recover again.`,
    { path },
    { cause },
  );
}

/** Lists the files of the source. @throws STATE_E_STORE_MISSING */
export function sourceParts(path: string): readonly FilePart[] {
  const parts = presentParts(path);
  if (parts[0]?.suffix === "") return parts;
  throw new StateError("STATE_E_STORE_MISSING", `There is no file at ${path}. Name the damaged store.`, { path });
}

/** Others who have the source open; what they write after the copy would be missing from the output. */
export function refuseHolders(path: string): void {
  const { holders } = findHolders(canonicalPath(path));
  if (holders.length === 0) return;
  throw liveWriterRefusal(path, "recover", {
    via: holders.every(({ pid }) => pid < 0) ? "unknown" : "holders",
    holders,
  });
}

/**
 * Copies the source and every sidecar, byte by byte, inside an offline scope: SQLite never opens the source.
 *
 * @param parts - As {@link sourceParts} found them; what differs afterwards is a change under the copy.
 * @param target - Where the main file goes; sidecars go beside it.
 * @throws STATE_E_SOURCE_CHANGED, STATE_E_LIVE_CONNECTION
 */
export async function takeCopy(
  path: string,
  parts: readonly FilePart[],
  target: string,
  options: ProgressOptions,
): Promise<SourceCopy> {
  using scope = openOfflineScope(path);
  const step = byteStep("copy", totalBytes(parts), options);
  try {
    for (const part of parts) await copyPart(part, target + part.suffix, step);
  } catch (error) {
    const gone = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw error instanceof FileShrank || gone ? changed(path, error) : error;
  }
  if (!sameParts(parts, presentParts(scope.path))) throw changed(path);
  return { parts, fingerprint: fingerprintOf(scope.path) };
}

/** True when the source is still what was copied. */
export function isUnchanged(path: string, { parts }: SourceCopy): boolean {
  return sameParts(parts, presentParts(path));
}

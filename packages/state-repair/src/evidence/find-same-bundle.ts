import { listBundles } from "./bundle-names.js";
import { bundleDigest } from "./bundle-digest.js";
import type { ByteStep } from "./byte-step.js";
import { presentParts } from "./file-parts.js";
import type { FilePart } from "./file-parts.js";

function sameShape(a: readonly FilePart[], b: readonly FilePart[]): boolean {
  return a.length === b.length && a.every((part, at) => part.suffix === b[at]?.suffix && part.bytes === b[at].bytes);
}

async function digestOrNull(parts: readonly FilePart[], step: ByteStep): Promise<string | null> {
  try {
    return await bundleDigest(parts, step);
  } catch (error) {
    // A bundle that cannot be read is no evidence: a fresh copy is taken. An abort is not about the bundle.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return null;
  }
}

/**
 * The newest bundle that holds exactly these bytes, or undefined. Only bundles with the same files of the same sizes
 * are read, and the source only when there is one.
 *
 * @param path - Canonical path of the database.
 * @param parts - Its files now.
 */
export async function findSameBundle(
  path: string,
  parts: readonly FilePart[],
  step: ByteStep,
): Promise<string | undefined> {
  const candidates = listBundles(path)
    .map((bundle) => ({ bundle: bundle.path, parts: presentParts(bundle.path) }))
    .filter((candidate) => sameShape(parts, candidate.parts));
  if (candidates.length === 0) return undefined;
  const wanted = await digestOrNull(parts, step);
  if (wanted === null) return undefined;
  for (const candidate of candidates) {
    if ((await digestOrNull(candidate.parts, step)) === wanted) return candidate.bundle;
  }
  return undefined;
}

import { renameSync } from "node:fs";
import { checkKnownOptions, isStateError, openOfflineScope, REPAIR_NAME, throwIfAborted } from "@hermes/state-core";
import { freeLabel, sidecarsOf } from "./bundle-names.js";
import type { BundleOptions, BundleResult, ForensicBundle } from "./bundle-result.js";
import { byteStep } from "./byte-step.js";
import { copyPart } from "./copy-part.js";
import { presentParts, sameParts, totalBytes } from "./file-parts.js";
import type { FilePart } from "./file-parts.js";
import { findSameBundle } from "./find-same-bundle.js";
import { fileStamp } from "./local-time.js";
import { pruneBundles } from "./prune-bundles.js";
import { publishBundle } from "./publish-bundle.js";
import type { StagedPart } from "./publish-bundle.js";
import { FileShrank } from "./read-ranges.js";
import { refuseBundle } from "./refuse-bundle.js";
import { removeFile } from "./remove-file.js";
import { checkBundleSpace } from "./space-guard.js";
import { sweepDebris } from "./sweep-debris.js";

const OPTION_NAMES = ["clock", "space", "rename", "onProgress", "signal"] as const;

/** Copies everything to staging names and publishes it; whatever goes wrong, no trace of it stays. */
async function copyAll(path: string, parts: readonly FilePart[], options: BundleOptions): Promise<string | undefined> {
  const label = freeLabel(path, fileStamp(options.clock.now()));
  const bundle = path + REPAIR_NAME.bundle + label;
  const staged: StagedPart[] = [];
  try {
    const step = byteStep("copy", totalBytes(parts), options);
    for (const part of parts) {
      const { suffix } = part;
      const staging = path + REPAIR_NAME.staging + label + suffix;
      staged.push({ suffix, staging, target: bundle + suffix });
      await copyPart(part, staging, step);
    }
    if (!sameParts(parts, presentParts(path))) return undefined;
    throwIfAborted(options.signal);
    options.onProgress?.({ phase: "publish", done: 0, total: parts.length });
    publishBundle(staged, options.rename ?? renameSync);
    return bundle;
  } finally {
    for (const { staging } of staged.toReversed()) removeFile(staging);
  }
}

function describe(kind: ForensicBundle["kind"], bundle: string, source: readonly FilePart[]): ForensicBundle {
  return { kind, path: bundle, sidecars: sidecarsOf(bundle), bytes: totalBytes(source), source };
}

async function take(path: string, options: BundleOptions): Promise<BundleResult> {
  sweepDebris(path);
  const parts = presentParts(path);
  if (parts[0]?.suffix !== "") return refuseBundle("missing", `${path} does not exist. Name the damaged file.`);
  const bytes = totalBytes(parts);
  const same = await findSameBundle(path, parts, byteStep("compare", bytes, options));
  if (same !== undefined && sameParts(parts, presentParts(path))) return describe("kept", same, parts);
  const space = checkBundleSpace(path, bytes, options.space);
  if (!space.enough) return refuseBundle("space", space.message, space);
  const taken = await copyAll(path, parts, options);
  if (taken === undefined) return changed(path);
  pruneBundles(path, taken);
  return describe("taken", taken, parts);
}

function changed(path: string, cause?: unknown): BundleResult {
  const message = `${path} was written to while it was copied. Stop the program that uses it and run the repair again.`;
  return refuseBundle("changed", message, { cause });
}

function failed(path: string, error: unknown): BundleResult {
  if (error instanceof FileShrank) return changed(path, error);
  // Only what the system refused is an answer; an abort, and what a listener threw, are the caller's own.
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).errno === undefined) throw error;
  const message =
    `Could not copy ${path} before the repair: ${error.message}. Nothing was changed. Make its folder writable and ` +
    `run the repair again, or write what is readable elsewhere: hermes-state recover --source ${path} --output FILE.`;
  return refuseBundle("failed", message, { cause: error });
}

/**
 * Copies a damaged database with every sidecar, byte by byte, before anything touches it. Call it under the repair
 * lock, with no connection of this process open. An earlier bundle of the same bytes is kept instead; the three newest
 * bundles stay. Reads in small pieces; holes of a sparse file are neither read nor written.
 *
 * @param path - The database; its bundle stands beside the real file.
 * @returns The bundle, or a refusal: then nothing of one is on disk and no surgery may follow.
 * @throws the reason of an aborted `signal`, and what `onProgress` throws; nothing of the bundle stays.
 * Source of the rule: REP-02, REP-03.
 */
export async function takeForensicBundle(path: string, options: BundleOptions): Promise<BundleResult> {
  checkKnownOptions("takeForensicBundle", options, OPTION_NAMES);
  let scope: ReturnType<typeof openOfflineScope>;
  try {
    scope = openOfflineScope(path);
  } catch (error) {
    if (!isStateError(error, "STATE_E_LIVE_CONNECTION")) throw error;
    return refuseBundle("live", error.message, { cause: error });
  }
  using held = scope;
  try {
    return await take(held.path, options);
  } catch (error) {
    return failed(held.path, error);
  }
}

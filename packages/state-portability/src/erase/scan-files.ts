import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { isStateError, openOfflineScope, SEARCH_SIDE_SUFFIX, SIDECAR_SUFFIXES } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { basename } from "node:path";
import type { FingerprintSet } from "./fingerprint-set.js";

const CHUNK_BYTES = 4_194_304;

/** What the bytes of one file say. */
export interface ScannedFile {
  readonly name: string;
  readonly bytes: number;
  /** How many canaries it holds. */
  readonly found: number;
  /** `unreadable`: nothing is known about it, so that nothing is proven. */
  readonly state: "scanned" | "absent" | "unreadable";
}

/** All files of a store, by suffix. */
const SUFFIXES = ["", SEARCH_SIDE_SUFFIX].flatMap((base) => ["", ...SIDECAR_SUFFIXES].map((side) => base + side));

async function scanFile(path: string, needles: FingerprintSet, { onProgress }: ProgressOptions): Promise<ScannedFile> {
  const file = await open(path, "r");
  try {
    const total = (await file.stat()).size;
    const found = new Set<number>();
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + needles.overlap);
    let position = 0;
    let kept = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const filled = kept + bytesRead;
      needles.scan(buffer.subarray(0, filled), (needle) => found.add(needle));
      kept = Math.min(needles.overlap, filled);
      buffer.copyWithin(0, filled - kept, filled);
      onProgress?.({ phase: "scan", done: position, total: Math.max(total, position) });
    }
    return { name: basename(path), bytes: position, found: found.size, state: "scanned" };
  } finally {
    await file.close();
  }
}

async function look(path: string, needles: FingerprintSet, options: ProgressOptions): Promise<ScannedFile> {
  const unknown = { name: basename(path), found: 0, bytes: 0 };
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return { ...unknown, state: "absent" };
    return stat.isFile() ? await scanFile(path, needles, options) : { ...unknown, state: "unreadable" };
  } catch {
    // Whatever the system has against reading it: it was not looked at, and the proof says so.
    return { ...unknown, state: "unreadable" };
  }
}

/**
 * Reads every byte of every file of a store and looks for canaries.
 *
 * @param path - Canonical path of the store. While this process has it open, nothing is read (COR-07): every file that
 * is there counts as unreadable.
 */
export async function scanStoreFiles(
  path: string,
  needles: FingerprintSet,
  options: ProgressOptions = {},
): Promise<ScannedFile[]> {
  const files: ScannedFile[] = [];
  try {
    using scope = openOfflineScope(path);
    for (const suffix of SUFFIXES) files.push(await look(scope.path + suffix, needles, options));
    return files;
  } catch (error) {
    if (!isStateError(error, "STATE_E_LIVE_CONNECTION")) throw error;
    return SUFFIXES.map((suffix) => {
      const bytes = statSync(path + suffix, { throwIfNoEntry: false })?.size;
      const name = basename(path) + suffix;
      return { name, bytes: bytes ?? 0, found: 0, state: bytes === undefined ? "absent" : "unreadable" };
    });
  }
}

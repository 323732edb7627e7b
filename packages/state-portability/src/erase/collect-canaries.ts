import { setImmediate } from "node:timers/promises";
import { throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { FingerprintSet } from "./fingerprint-set.js";
import { folded, needlesOf } from "./needles.js";
import { storedCells } from "./stored-cells.js";
import type { Content, Read } from "./stored-cells.js";

const CELLS_PER_PAUSE = 2_000;

/** What tells that something of the sessions is still there. */
export interface Canaries {
  readonly needles: FingerprintSet;
  /** Cells of which not even one sample found room. */
  readonly unsampled: number;
}

async function eachCell(
  cells: Iterable<Content>,
  phase: string,
  { onProgress, signal }: ProgressOptions,
  fn: (cell: Content) => void,
): Promise<void> {
  let done = 0;
  for (const cell of cells) {
    fn(cell);
    done += 1;
    if (done % CELLS_PER_PAUSE !== 0) continue;
    onProgress?.({ phase, done, total: undefined });
    throwIfAborted(signal);
    await setImmediate();
  }
}

/**
 * Collects what tells that a byte of the sessions is still there: cells of theirs, in every spelling, that no other row
 * has. Call it before they are deleted.
 *
 * @param sessionIds - All sessions that go, delegates among them.
 * @param needles - What is looked for as well.
 */
export async function collectCanaries(
  read: Read,
  sessionIds: readonly string[],
  options: ProgressOptions,
  needles: FingerprintSet = new FingerprintSet(),
): Promise<Canaries> {
  let unsampled = 0;
  await eachCell(storedCells(read, "erased", sessionIds), "collect", options, (cell) => {
    if (needles.room === "none") unsampled += 1;
    for (const needle of needlesOf(cell, needles.room)) needles.add(needle);
  });
  await dropKept(read, sessionIds, options, needles);
  return { needles, unsampled };
}

/** What rows that stay have too tells nothing. */
export async function dropKept(
  read: Read,
  sessionIds: readonly string[],
  options: ProgressOptions,
  needles: FingerprintSet,
): Promise<void> {
  await eachCell(storedCells(read, "kept", sessionIds), "compare", options, (cell) => {
    needles.drop(typeof cell === "string" ? Buffer.from(cell) : cell);
    if (typeof cell === "string") needles.drop(Buffer.from(folded(cell)));
  });
}

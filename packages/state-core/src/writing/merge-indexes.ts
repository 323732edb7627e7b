import { lowerUserMerge, mergePages } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";

/** How much a merge may do at once, each a whole number above 0. */
export interface MergeBounds {
  /** Pages that one command may write; 500. */
  readonly pages?: number;
  /** Commands per index; 4. */
  readonly commands?: number;
}

/** Runs a function in one write transaction of its own. */
export type RunTransaction = <T>(fn: (w: Writer) => T) => T;

const DEFAULTS: Required<MergeBounds> = { pages: 500, commands: 4 };

/**
 * Checks the bounds of a merge and fills in the defaults (SEA-13).
 *
 * @param what - The function as the caller knows it.
 * @throws TypeError for an unknown bound or one that is no number; RangeError for a number that is not whole or not
 * above 0.
 */
export function resolveMergeBounds(what: string, bounds: MergeBounds = {}): Required<MergeBounds> {
  checkKnownOptions(what, bounds, Object.keys(DEFAULTS));
  for (const [name, value] of Object.entries(bounds as Record<string, unknown>)) {
    if (value === undefined) continue;
    if (typeof value !== "number") throw new TypeError(`${what}: ${name} must be a number, not ${typeof value}.`);
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new RangeError(`${what}: ${name} must be a whole number above 0, not ${String(value)}.`);
    }
  }
  return { pages: bounds.pages ?? DEFAULTS.pages, commands: bounds.commands ?? DEFAULTS.commands };
}

/**
 * Merges segments of one search index, each command in a transaction of its own, until there is nothing to merge or the
 * bounds are reached (SEA-13).
 *
 * @returns How many commands merged something.
 * @throws Whatever the engine or `transact` throws.
 */
export function mergeIndexPages(transact: RunTransaction, table: string, bounds: Required<MergeBounds>): number {
  let merged = 0;
  transact((w) => {
    lowerUserMerge(w, table);
  });
  while (merged < bounds.commands && transact((w) => mergePages(w, table, bounds.pages))) merged += 1;
  return merged;
}

/**
 * Merges one search index into a single segment, in steps of which each holds the write lock for its own pages only.
 * It changes no result.
 *
 * @param pages - Pages per step.
 * @returns A generator that goes on by one step and gives the number of steps so far.
 */
export function* mergeIndexWhole(transact: RunTransaction, table: string, pages: number): Generator<number, void> {
  transact((w) => {
    lowerUserMerge(w, table);
  });
  // The first command, being negative, takes all segments; the others go on with what it began.
  for (let step = 1; transact((w) => mergePages(w, table, step === 1 ? -pages : pages)); step += 1) yield step;
}

import type { StoreInfo } from "@hermes/state-core";
import type { IndexState, Reader } from "@hermes/state-schema";
import { usableHalf } from "../plan/usable-half.js";
import { changesSince } from "./follow/changes-since.js";
import { lookAtIndex, type IndexLook } from "./follow/look-at-index.js";
import { isRefusal } from "./side-error.js";
import type { SideReading } from "./side-reading.js";
import { SCISSORS, storeMark } from "./side-state.js";

/** How many pages of the word index a search reads to find out what changed: a few dozen milliseconds at most. */
const MOST_PAGES = 1500;

/** Messages that the side index holds as they are now. */
export interface Vouched {
  /** All messages up to this id are held ... */
  readonly upTo: number;
  /** ... except these, which may have changed since. */
  readonly changed: readonly number[];
}

/** The word index follows every change, so that it can serve as a log. */
export function canFollow(state: IndexState): boolean {
  return !state.stale && state.pending === undefined && usableHalf(state, state.word);
}

/** The file is this store's and was made by the rules of this process. */
export function isOurs(r: Reader, info: StoreInfo, reading: SideReading): boolean {
  return reading.state.scissors === SCISSORS && reading.state.store === storeMark(r, info);
}

/**
 * What the side index knows of the store's messages, on the state of the store that is being read.
 *
 * @param mostPages - How many pages of the word index may be read.
 * @returns Undefined when all of it must be looked at again.
 */
export function vouchFor(
  r: Reader,
  look: IndexLook,
  reading: SideReading,
  mostPages: number = MOST_PAGES,
): Vouched | undefined {
  const { covered, followed } = reading.state;
  if (covered === undefined || followed === undefined) return undefined;
  const changes = changesSince(r, look, followed, covered, mostPages);
  if (changes === "any") return undefined;
  const changed = reading.changed();
  if (changes.size === 0) return { upTo: covered, changed };
  return { upTo: covered, changed: [...new Set([...changed, ...changes])].sort((a, b) => a - b) };
}

/** As {@link vouchFor}, for a search: whatever stands against it, the side index is then not used. */
export function vouchNow(r: Reader, info: StoreInfo, state: IndexState, reading: SideReading): Vouched | undefined {
  if (!canFollow(state)) return undefined;
  try {
    if (!isOurs(r, info, reading)) return undefined;
    const look = lookAtIndex(r);
    return look && vouchFor(r, look, reading);
  } catch (error) {
    // An index that cannot be read as a log is none; whether it can be asked is another question.
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

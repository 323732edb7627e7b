import type { StoreContext, StoreInfo } from "@hermes/state-core";
import { readIndexState, type Reader } from "@hermes/state-schema";
import { followedTo } from "./follow/followed.js";
import { lookAtIndex } from "./follow/look-at-index.js";
import { gatherAfter, gatherListed, type Budget, type Gathered } from "./gather.js";
import { beginSideReading, type SideReading } from "./side-reading.js";
import { isNewer, SCISSORS, storeMark } from "./side-state.js";
import type { SideStep } from "./side-step.js";
import { canFollow, isOurs, vouchFor } from "./vouch.js";
import { writeSide } from "./write-side.js";

/** What catching up needs of a store. */
export type FollowedStore = Pick<StoreContext, "read" | "info">;

/**
 * - `done`: the side index holds everything.
 * - `more`: a step was made, and more remains.
 * - `lost`: another process was faster; nothing was written.
 * - `unavailable`: there is nothing to follow now, or the file cannot be written.
 */
export type StepOutcome = "done" | "more" | "lost" | "unavailable";

const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** What remains of a list of ids of which the first ones were looked at. */
function remaining(ids: readonly number[], { all, last }: Gathered): readonly number[] {
  if (all) return [];
  return last === undefined ? ids : ids.filter((id) => id > last);
}

/** What a step is planned with. */
interface Plan {
  readonly info: StoreInfo;
  readonly reading: SideReading | undefined;
  readonly budget: Budget;
  readonly mostPages: number;
}

/** One step on one state of the store. */
function planStep(r: Reader, { info, reading, budget, mostPages }: Plan): SideStep | undefined {
  if (!canFollow(readIndexState(r, info.capabilities))) return undefined;
  const look = lookAtIndex(r);
  if (look === undefined || (reading && isNewer(reading.state.scissors))) return undefined;
  const ours = reading && isOurs(r, info, reading) ? reading : undefined;
  const vouched = ours && vouchFor(r, look, ours, mostPages);
  const changed = vouched?.changed ?? [];
  const listed = gatherListed(r, changed, budget);
  const rest = { ...budget, rows: budget.rows - listed.looked };
  const next = listed.all && rest.rows > 0 ? gatherAfter(r, vouched?.upTo ?? BEFORE_ALL, rest) : undefined;
  return {
    revision: ours?.revision,
    state: {
      scissors: SCISSORS,
      store: storeMark(r, info),
      covered: next?.last ?? vouched?.upTo,
      followed: followedTo(r, look),
    },
    rows: [...listed.rows, ...(next?.rows ?? [])],
    changed: remaining(changed, listed),
    done: next?.all ?? false,
    looked: listed.looked + (next?.looked ?? 0),
  };
}

function isIdle({ done, looked, state }: SideStep, reading: SideReading): boolean {
  return done && looked === 0 && JSON.stringify(state) === JSON.stringify(reading.state);
}

/**
 * Makes one step: reads a part of the store, lets go of it, and then writes the side file. No lock of the store is held
 * while that is written, and nothing is waited for.
 *
 * @param mostPages - How many pages of the word index may be read to find out what changed.
 */
export function stepSideIndex(
  store: FollowedStore,
  budget: Budget,
  mostPages: number,
): { readonly outcome: StepOutcome; readonly looked: number } {
  const info = store.info();
  const unavailable = { outcome: "unavailable", looked: 0 } as const;
  if (info.readonly || !info.capabilities.fts5) return unavailable;
  const reading = beginSideReading(info);
  let step: SideStep | undefined;
  try {
    step = store.read((r) => planStep(r, { info, reading, budget, mostPages }));
  } finally {
    reading?.end();
  }
  if (step === undefined) return unavailable;
  if (reading !== undefined && isIdle(step, reading)) return { outcome: "done", looked: 0 };
  const written = writeSide(info, step);
  if (written !== "written") return { outcome: written, looked: 0 };
  return { outcome: step.done ? "done" : "more", looked: step.looked };
}

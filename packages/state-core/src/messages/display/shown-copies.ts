import type { Reader } from "@hermes/state-schema";
import { readCopies } from "./read-copies.js";

/** Which of the rows that are one message are shown, and where. */
export interface ShownCopies {
  /** Rows that do not stand in the history: their message stands where its first row is. */
  readonly left: readonly number[];
  /** By the first shown row of a message, the row that stands for it: the live one, else the newest. */
  readonly standIns: ReadonlyMap<number, number>;
}

/** Sorts out the rows of a session that are one message each (COR-28). */
export function readShownCopies(r: Reader, sessionId: string): ShownCopies {
  const left: number[] = [];
  const standIns = new Map<number, number>();
  for (const group of readCopies(r, sessionId)) {
    const visible = group.filter((copy) => copy.live || copy.compacted);
    const [first, ...others] = visible;
    const shown = visible.findLast((copy) => copy.live) ?? visible.at(-1);
    if (!first || !shown) continue;
    left.push(...others.map((copy) => copy.id));
    if (shown !== first) standIns.set(first.id, shown.id);
  }
  return { left, standIns };
}

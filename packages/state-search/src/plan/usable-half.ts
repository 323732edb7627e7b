import type { IndexHalf, IndexState } from "@hermes/state-schema";

/** Layouts whose indexes hold text, tool names and tool calls of every message. */
const COMPLETE_LAYOUTS: ReadonlySet<unknown> = new Set([0, 1, 2, 3]);

/** An index that can be asked, and that follows what is written. */
export function usableHalf({ layout }: IndexState, half: IndexHalf): boolean {
  return COMPLETE_LAYOUTS.has(layout) && half.present && half.triggers && half.readable;
}

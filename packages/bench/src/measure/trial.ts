import type { Sample } from "./sample.js";

/** One round of a trial: the store's way and, where there is one, the bare engine's way, measured in turn. */
export interface Round {
  readonly store: Sample;
  readonly engine?: Sample;
}

/** Something worth measuring. */
export interface Trial {
  readonly name: string;
  /** What one of the counted operations is: "message", "open", "page". */
  readonly unit: string;
  /** Operations in one round. */
  readonly operations: number;
  /** What the design asks for; printed beside the figure, never asserted. */
  readonly goal?: { readonly ratio?: number; readonly cpuMs?: number };
  /** For what runs long, and in processes of its own: a round to warm up gains nothing there. */
  readonly firstRoundCounts?: true;
  /** @param storeFirst - Who goes first alternates, so that neither side always meets the warm cache. */
  round(storeFirst: boolean): Round;
}

import { readIndexState } from "@hermes/state-schema";
import type { FtsHalf, IndexState } from "@hermes/state-schema";
import type { CheckRun } from "../check-run.js";

/** The indexes that are kept here; a native CJK index belongs to peers that have its tokenizer. */
export type Half = Exclude<FtsHalf, "cjk">;

/** Both of them. */
export const HALVES: readonly Half[] = ["word", "trigram"];

/** What the indexes can answer right now; read anew wherever it decides, since another process may change it. */
export function indexStateOf(run: CheckRun): IndexState {
  return readIndexState(run.r, run.capabilities);
}

/** Layouts whose index reads its rows from outside and is filled by triggers with exactly what it would read. */
export function comparesWithRows({ layout, stale, pending }: IndexState): boolean {
  return !stale && pending === undefined && (layout === "content-only" || typeof layout === "number") && layout !== 0;
}

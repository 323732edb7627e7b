import { FTS_TABLE, readIndexState } from "@hermes/state-schema";
import type { FtsHalf, IndexState } from "@hermes/state-schema";
import type { CheckRun } from "../check-run.js";

/** The indexes that are kept here; a native CJK index belongs to peers that have its tokenizer. */
export type Half = Exclude<FtsHalf, "cjk">;

/** Both of them. */
export const HALVES: readonly Half[] = ["word", "trigram"];

/** Which index a table is, or belongs to as a part; undefined for the CJK index and for anything else. */
export function halfOf(table: string): Half | undefined {
  if (table.startsWith(FTS_TABLE.cjk)) return undefined;
  if (table.startsWith(FTS_TABLE.trigram)) return "trigram";
  return table.startsWith(FTS_TABLE.word) ? "word" : undefined;
}

/** What the indexes can answer right now; read anew wherever it decides, since another process may change it. */
export function indexStateOf(run: CheckRun): IndexState {
  return readIndexState(run.r, run.capabilities);
}

/** Layouts whose index reads its rows from outside and is filled by triggers with exactly what it would read. */
export function comparesWithRows({ layout, stale, pending }: IndexState): boolean {
  return !stale && pending === undefined && (layout === "content-only" || typeof layout === "number") && layout !== 0;
}

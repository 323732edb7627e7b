import type { JsonObject } from "@hermes/state-core";
import { readIndexState } from "@hermes/state-schema";
import type { SessionStore } from "./session-store.js";

const PENDING = "The search index is being built; messages it does not hold yet are read one by one, which is slower.";
const STALE = "The search index waits to be rebuilt; messages are read one by one, which is slower and not ranked.";

/** What to know about the index while it cannot answer everything by itself; undefined when it can. */
export function indexNote(store: SessionStore): JsonObject | undefined {
  const { capabilities } = store.info();
  const { pending, stale } = store.read((r) => readIndexState(r, capabilities));
  if (stale) return { percent: 0, note: STALE };
  if (!pending) return undefined;
  const percent = Math.floor((100 * pending.progress) / Math.max(pending.highWater, 1));
  return { percent: Math.min(Math.max(percent, 0), 99), note: PENDING };
}

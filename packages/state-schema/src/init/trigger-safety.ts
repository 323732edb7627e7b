import type { SqliteCapabilities } from "../fts/capabilities.js";
import { dropTriggers } from "../fts/detach-fts.js";
import { ftsTriggers } from "../fts/names.js";
import { META_KEYS } from "../meta-keys.js";
import type { Writer } from "../sql/handles.js";
import { setMeta } from "../sql/set-meta.js";
import { readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import { isNewer } from "./structure-plan.js";

/** Sync triggers that must go before anything writes a message. */
export interface TriggerSafety {
  readonly drop: readonly string[];
  /** The CJK index misses writes from now on: say so before its triggers go. */
  readonly markCjkStale: boolean;
}

/**
 * Which sync triggers would make writes fail on this runtime, or must not run because the index is stale (SCH-08,
 * SCH-09). This stack never loads the CJK tokenizer, so live CJK triggers always go.
 */
export function planTriggerSafety(facts: SchemaFacts, capabilities: SqliteCapabilities): TriggerSafety {
  const live = (half: "word" | "trigram" | "cjk"): string[] =>
    ftsTriggers(half).filter((name) => facts.fts.triggers.has(name));
  const stale = facts.meta.has(META_KEYS.ftsStale.key) && !isNewer(facts);
  const cjk = live("cjk");
  const word = stale || !capabilities.fts5 ? live("word") : [];
  const trigram = stale || !capabilities.trigram ? live("trigram") : [];
  return { drop: [...cjk, ...word, ...trigram], markCjkStale: cjk.length > 0 };
}

/**
 * Does the same for a handle that is open already: another program may have created triggers since that this runtime
 * cannot serve, and each message would fail on them. Run it in a write of its own after a capability error, then
 * repeat the write; the indexes concerned are filled again by a capable open.
 *
 * @returns Names of the triggers that were dropped; none means that the error has another source.
 */
export function dropUnservedTriggers(w: Writer, capabilities: SqliteCapabilities): readonly string[] {
  const safety = planTriggerSafety(readSchemaFacts(w), capabilities);
  applyTriggerSafety(w, safety);
  return safety.drop;
}

/** Leaves the breadcrumb, then drops the triggers. The file must have `state_meta`. */
export function applyTriggerSafety(w: Writer, safety: TriggerSafety): void {
  if (safety.markCjkStale) setMeta(w, META_KEYS.ftsCjkStale.key, "1");
  dropTriggers(w, safety.drop);
}

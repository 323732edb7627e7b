import { META_KEYS } from "../meta-keys.js";
import type { Writer } from "../sql/handles.js";
import { setMeta } from "../sql/set-meta.js";
import { readFtsSchema } from "./fts-schema.js";
import { ALL_FTS_TRIGGERS, ftsTriggers } from "./names.js";

/**
 * Detaches the search index from the messages: stale markers and the drop of all nine sync triggers, in the caller's
 * transaction, so that no other process ever sees the one without the other (COR-09). Reads then go to the messages
 * themselves until a full rebuild.
 */
export function detachFts(w: Writer): void {
  const { triggers } = readFtsSchema(w);
  setMeta(w, META_KEYS.ftsStale.key, "1");
  if (ftsTriggers("cjk").some((name) => triggers.has(name))) setMeta(w, META_KEYS.ftsCjkStale.key, "1");
  dropTriggers(w, ALL_FTS_TRIGGERS);
}

/** Drops triggers that exist. */
export function dropTriggers(w: Writer, names: Iterable<string>): void {
  for (const name of names) w.exec(`DROP TRIGGER IF EXISTS ${name}`);
}

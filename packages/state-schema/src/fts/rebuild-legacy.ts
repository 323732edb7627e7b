import type { Writer } from "../sql/handles.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { createHalf, ftsObjects } from "./create-fts-objects.js";
import type { FtsHalfObjects } from "./fts-objects.js";
import { readFtsSchema } from "./fts-schema.js";
import { FTS_TABLE, ftsTriggers } from "./names.js";
import { dropTriggers } from "./detach-fts.js";
import { hasTriggers } from "./read-index-state.js";

/**
 * Fills the indexes of an old layout whose triggers were gone, from the messages, in the caller's transaction. Such a
 * layout has no markers, so there is no partial state: all or nothing, under the cross-process right to rebuild.
 */
export function rebuildLegacy(w: Writer, layout: 0 | "content-only", capabilities: SqliteCapabilities): void {
  const schema = readFtsSchema(w);
  const { word, trigram } = ftsObjects(layout);
  if (!hasTriggers(schema, "word")) refill(w, "word", word, layout);
  const withTrigram = capabilities.trigram && trigram !== undefined && schema.tables.has(FTS_TABLE.trigram);
  if (withTrigram && !hasTriggers(schema, "trigram")) refill(w, "trigram", trigram, layout);
}

function refill(w: Writer, half: "word" | "trigram", objects: FtsHalfObjects, layout: 0 | "content-only"): void {
  const { name } = objects.table;
  dropTriggers(w, ftsTriggers(half));
  if (layout === 0) w.exec(`DROP TABLE IF EXISTS ${name}`);
  createHalf(w, objects);
  if (layout === 0) w.exec(`INSERT INTO ${name}(rowid, content) SELECT id, content FROM ${objects.source}`);
  else w.exec(`INSERT INTO ${name}(${name}) VALUES ('rebuild')`);
}

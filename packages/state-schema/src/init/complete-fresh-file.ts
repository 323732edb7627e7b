import type { SqliteCapabilities } from "../fts/capabilities.js";
import { createIndexObjects } from "../fts/create-index.js";
import { readFtsSchema } from "../fts/fts-schema.js";
import { META_KEYS } from "../meta-keys.js";
import type { SchemaHost, Writer } from "../sql/handles.js";
import { setMetaOnce } from "../sql/set-meta.js";
import { renderIndex } from "../tables/render-table.js";
import { REQUIRED_TABLES } from "../tables/tables.js";
import { readSchemaFacts } from "./schema-facts.js";
import { stampVersion } from "./stamp-version.js";
import { stampLayout } from "./stamp-layout.js";
import { latestGate } from "./version-gates.js";

/**
 * Finishes a file whose tables were created in this transaction: last indexes, search index, stamps and provenance.
 * The header fields `user_version` and `application_id` are never touched.
 */
export function completeFreshFile(w: Writer, host: SchemaHost, capabilities: SqliteCapabilities): void {
  for (const table of REQUIRED_TABLES) {
    for (const index of table.indexes) if (index.stage === "last") w.exec(renderIndex(table, index));
  }
  if (capabilities.fts5 && readFtsSchema(w).tables.size === 0) createIndexObjects(w, capabilities);
  stampVersion(w, latestGate(capabilities));
  setMetaOnce(w, META_KEYS.storeInstanceId.key, uuid(host.randomHex(16)));
  setMetaOnce(w, META_KEYS.storeCreatedAtUtc.key, new Date(host.now() * 1000).toISOString());
  stampLayout(w, readSchemaFacts(w), capabilities);
}

/** A version-4 UUID from 32 random hex digits. */
function uuid(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}

import { META_KEYS } from "../../meta-keys.js";
import type { Reader, Writer } from "../../sql/handles.js";
import { deleteMeta, setMeta } from "../../sql/set-meta.js";
import type { SqliteCapabilities } from "../capabilities.js";
import { FTS_LAYOUT } from "../create-fts-objects.js";
import { readFtsSchema } from "../fts-schema.js";
import { readIndexMarkers } from "../read-index-state.js";
import { planUpgrade } from "./plan-upgrade.js";

/** Why an index is not settled: rows to index, tables to remove, or objects that somebody else changed meanwhile. */
export type UnsettledReason = "backfill_incomplete" | "teardown_incomplete" | "index_changed";

/**
 * What still stands between a file and the claim that its index is whole and of the newest layout; undefined when
 * nothing does. Ask it inside a write transaction before anything is claimed (SEA-12).
 */
export function unsettledBecause(r: Reader, capabilities: SqliteCapabilities): UnsettledReason | undefined {
  const schema = readFtsSchema(r);
  const plan = planUpgrade(r, capabilities);
  if (plan === "replace") return "index_changed";
  if (plan === "seed" || readIndexMarkers(r).pending !== undefined) return "backfill_incomplete";
  return schema.trash.length > 0 ? "teardown_incomplete" : undefined;
}

/**
 * Stamps the newest layout, or nothing when the index is not settled.
 *
 * @returns Why nothing was stamped.
 */
export function settleIndex(w: Writer, capabilities: SqliteCapabilities): UnsettledReason | undefined {
  const reason = unsettledBecause(w, capabilities);
  if (reason !== undefined) return reason;
  setMeta(w, META_KEYS.ftsStorageVersion.key, String(FTS_LAYOUT));
  deleteMeta(w, META_KEYS.ftsOptimizeAvailable.key);
  return undefined;
}

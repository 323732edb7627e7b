import { createHalf, ftsObjects } from "../../fts/create-fts-objects.js";
import { detectFtsLayout, layoutOf } from "../../fts/detect-fts-layout.js";
import { dropTriggers } from "../../fts/detach-fts.js";
import { readFtsSchema } from "../../fts/fts-schema.js";
import { FTS_SOURCE, FTS_TABLE, ftsTriggers } from "../../fts/names.js";
import { readIndexMarkers } from "../../fts/read-index-state.js";
import type { Reader, Writer } from "../../sql/handles.js";
import { stampVersion } from "../stamp-version.js";
import { isBehind } from "./complete-migration.js";
import type { Migration } from "./migration.js";

/**
 * Version 30: the trigram index follows the newest admission predicate. It is rebuilt even where its view looks new,
 * because rows may have been indexed under the old one. Layouts that index every row have no predicate to renew.
 */
export const RENEW_TRIGRAM: Migration = {
  gate: 30,
  about: "renew the trigram index under the newest admission predicate",
  run: ({ host, capabilities }) => {
    if (!capabilities.fts5) return false;
    const work = workFor(host);
    if (work === "wait" || (work === "rebuild" && !capabilities.trigram)) return false;
    const transact = (): boolean => host.transaction("renew the trigram index", renew);
    // Stamping needs no right to rebuild.
    if (work === "stamp") return transact();
    const admission = host.admitRebuild();
    if (admission.kind === "deferred") return false;
    try {
      return transact();
    } finally {
      admission.release();
    }
  },
};

type Work = "stamp" | "rebuild" | "wait";

/** What a file needs: a pending backfill would index rows a second time, so it comes first. */
function workFor(r: Reader): Work {
  const layout = detectFtsLayout(r);
  const schema = readFtsSchema(r);
  if ((layout !== 2 && layout !== 3) || !schema.tables.has(FTS_TABLE.trigram)) return "stamp";
  const { stale, pending } = readIndexMarkers(r);
  if (stale) return "stamp";
  return pending === undefined ? "rebuild" : "wait";
}

function renew(w: Writer): boolean {
  if (!isBehind(w, RENEW_TRIGRAM.gate)) return true;
  const work = workFor(w);
  if (work === "wait") return false;
  const layout = layoutOf(readFtsSchema(w));
  const half = layout === 2 || layout === 3 ? ftsObjects(layout).trigram : undefined;
  if (work === "rebuild" && half !== undefined) {
    dropTriggers(w, ftsTriggers("trigram"));
    w.exec(`DROP VIEW IF EXISTS ${FTS_SOURCE.trigram}`);
    createHalf(w, half);
    w.exec(`INSERT INTO ${half.table.name}(${half.table.name}) VALUES ('rebuild')`);
  }
  stampVersion(w, RENEW_TRIGRAM.gate);
  return true;
}

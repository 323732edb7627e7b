import { META_KEYS } from "../meta-keys.js";
import type { Writer } from "../sql/handles.js";
import { deleteMeta, setMeta } from "../sql/set-meta.js";
import { ftsObjects } from "./create-fts-objects.js";
import { layoutOf } from "./detect-fts-layout.js";
import type { FtsHalfObjects, FtsObjects } from "./fts-objects.js";
import { readFtsSchema, type FtsSchema } from "./fts-schema.js";
import { FTS_TABLE, ftsTrigger } from "./names.js";
import { hasTriggers } from "./read-index-state.js";
import { indexRange } from "./step-backfill.js";

/** Inserts of one transaction that are indexed together at its end. */
export interface BulkIndexing {
  /** Rows with higher ids are new. */
  readonly after: number;
  /** Given, all messages of these sessions are new, whatever their ids, and no others are: a JSON list of ids. */
  readonly sessions: string | undefined;
  readonly halves: readonly FtsHalfObjects[];
}

const { ftsStale, ftsRebuildHighWater, ftsRebuildProgress } = META_KEYS;

/** Above every id the file can give: no new row is beyond it, so each trigger sees its row gated off. */
const BEYOND_ALL_IDS = String(Number.MAX_SAFE_INTEGER);

/** One row: the highest id, when no rebuild is pending and the index is not stale; none otherwise. */
const HIGHEST_ID_OF_SETTLED_INDEX = `
  SELECT COALESCE((SELECT MAX(id) FROM messages), 0) AS id
  WHERE NOT EXISTS (
    SELECT 1 FROM state_meta
    WHERE key IN ('${ftsStale.key}', '${ftsRebuildHighWater.key}', '${ftsRebuildProgress.key}')
  )`;

/** Below every id: no row counts as reached by a rebuild. */
const BELOW_ALL_IDS = -Number.MAX_SAFE_INTEGER;

const OF_SESSION = "id IN (SELECT id FROM messages WHERE session_id IN (SELECT value FROM json_each(?)))";

/**
 * Begins to index the inserts that follow all at once, which costs a third of what row triggers cost: fts5 flushes at
 * every statement of a trigger. The sync triggers are switched off by the markers they are gated with; no other
 * connection ever sees those, since {@link finishBulkIndexing} removes them in the same transaction.
 *
 * Between the two calls only insert messages, and delete older ones. An error in between must end the transaction.
 *
 * @param newSessions - Sessions that have no messages yet. Then only messages of these are inserted and nothing is
 * deleted; in return they may have any ids, as when a copy keeps those of the original.
 * @returns What to hand to {@link finishBulkIndexing}; undefined when the file's triggers must do the work: another
 * layout, ungated or missing triggers, a rebuild that is pending, a stale index.
 */
export function beginBulkIndexing(w: Writer, newSessions?: readonly string[]): BulkIndexing | undefined {
  const schema = readFtsSchema(w);
  const layout = layoutOf(schema);
  if (!schema.meta || (layout !== 1 && layout !== 2 && layout !== 3)) return undefined;
  const halves = gatedHalves(schema, layout);
  const highest = halves && w.get<{ id: number }>(HIGHEST_ID_OF_SETTLED_INDEX)?.id;
  if (halves === undefined || highest === undefined) return undefined;
  const after = newSessions === undefined ? highest : BELOW_ALL_IDS;
  setMeta(w, ftsRebuildHighWater.key, BEYOND_ALL_IDS);
  setMeta(w, ftsRebuildProgress.key, String(after));
  // Half a character becomes U+FFFD when a row is written; escaped in a list it would name no session.
  const sessions = newSessions && JSON.stringify(newSessions.map((id) => id.toWellFormed()));
  return { after, sessions, halves };
}

/**
 * Indexes the new rows, one statement per index, and switches the triggers on again.
 *
 * @param upTo - The highest id that was inserted.
 */
export function finishBulkIndexing(w: Writer, bulk: BulkIndexing, upTo: number): void {
  for (const half of bulk.halves) if (!isIndexed(w, half, bulk)) indexNew(w, half, bulk, upTo);
  deleteMeta(w, ftsRebuildHighWater.key, ftsRebuildProgress.key);
}

function indexNew(w: Writer, half: FtsHalfObjects, { after, sessions }: BulkIndexing, upTo: number): void {
  if (sessions === undefined) {
    indexRange(w, half, after, upTo);
    return;
  }
  const columns = half.columns.join(", ");
  const rows = `SELECT id, ${columns} FROM ${half.source} WHERE ${OF_SESSION} ORDER BY id`;
  w.run(`INSERT INTO ${half.table.name}(rowid, ${columns}) ${rows}`, [sessions]);
}

/** A gate that is spelt in a way we do not know has let the rows through: then the triggers have done the work. */
function isIndexed(w: Writer, { table }: FtsHalfObjects, { after, sessions }: BulkIndexing): boolean {
  const where = sessions === undefined ? "id > ?" : OF_SESSION;
  const sql = `SELECT EXISTS (SELECT 1 FROM ${table.name}_docsize WHERE ${where}) AS found`;
  return w.get<{ found: number }>(sql, [sessions ?? after])?.found === 1;
}

const objectsByLayout = new Map<1 | 2 | 3, FtsObjects>();

/** The objects of a layout, spelt out once: a batch must not pay for it. */
function objectsOf(layout: 1 | 2 | 3): FtsObjects {
  let objects = objectsByLayout.get(layout);
  if (objects === undefined) objectsByLayout.set(layout, (objects = ftsObjects(layout)));
  return objects;
}

/** The indexes of a file, when all of them follow inserts through triggers that the markers gate. */
function gatedHalves(schema: FtsSchema, layout: 1 | 2 | 3): readonly FtsHalfObjects[] | undefined {
  const { word, trigram } = objectsOf(layout);
  if (!isGated(schema, "word", word)) return undefined;
  if (trigram === undefined || !schema.tables.has(FTS_TABLE.trigram)) return [word];
  return isGated(schema, "trigram", trigram) ? [word, trigram] : undefined;
}

function isGated(schema: FtsSchema, half: "word" | "trigram", { source }: FtsHalfObjects): boolean {
  const insert = schema.triggers.get(ftsTrigger(half, "insert"));
  const readable = source === "messages" || schema.views.has(source);
  if (insert === undefined || !readable || !hasTriggers(schema, half)) return false;
  return [ftsRebuildHighWater.key, ftsRebuildProgress.key].every((key) => insert.includes(`'${key}'`));
}

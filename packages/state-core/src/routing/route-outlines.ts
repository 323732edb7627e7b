import type { Reader, SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "../codec/seconds.js";
import { chunksOf } from "../retention/chunks-of.js";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { parseRoutingEntry, sessionOfEntry } from "./routing-rows.js";

/** A route as a router begins with it: where it leads, and an entry that nobody has parsed yet. */
export interface RouteOutline {
  readonly sessionKey: string;
  /** The session that the entry names; null where it names none. */
  readonly sessionId: string | null;
  /** Whether that session has ended, or a compaction closed it. */
  readonly ended: boolean;
  /** The entry as the file holds it, for `parseRoutingJson`; null for what is no text. */
  readonly entryText: string | null;
  /** REAL seconds of the last save; undefined where unreadable. */
  readonly savedAtSeconds: number | undefined;
}

const SEPARATOR = "\u001e";

/**
 * Some hundred rows in one text, in the order of the pages: ten thousand texts of their own cost more to hand over than
 * to read.
 */
const SELECT_PACKED = `
  SELECT COUNT(*) AS count, MAX(place) AS last, group_concat(session_key, char(30)) AS keys,
    group_concat(entry_json, char(30)) AS entries, group_concat(updated_at, char(30)) AS moments
  FROM (
    SELECT rowid AS place, session_key, entry_json, updated_at FROM gateway_routing NOT INDEXED
    WHERE rowid > ? AND scope = ? ORDER BY rowid LIMIT 200
  )`;

/** The same, row by row: for a file that holds something else than texts and numbers, or the separator. */
const SELECT_SCOPE = `
  SELECT session_key, entry_json, updated_at FROM gateway_routing NOT INDEXED WHERE scope = ?`;

const SELECT_ENDED = `
  SELECT s.id AS id
  FROM json_each(?) AS wanted JOIN sessions AS s ON s.id = wanted.value
  WHERE s.ended_at IS NOT NULL OR s.end_reason = '${COMPRESSION_END_REASON}'`;

/** How every gateway begins an entry. What begins otherwise is parsed as a whole. */
const BEGINNING = /^\{"session_key": "(?:[^"\\]|\\.)*", "session_id": "([^"\\]*)"/;

type Draft = { -readonly [K in keyof RouteOutline]: RouteOutline[K] };

function draftOf([key, cell = null, savedAt]: readonly SqlValue[]): Draft {
  const entryText = typeof cell === "string" ? cell : null;
  return {
    sessionKey: typeof key === "string" ? key : "",
    sessionId: (entryText && BEGINNING.exec(entryText)?.[1]) ?? sessionOfEntry(parseRoutingEntry(entryText)),
    ended: false,
    entryText,
    savedAtSeconds: isSaneSeconds(savedAt) ? savedAt : undefined,
  };
}

interface Pack {
  readonly count: number;
  readonly last: number | null;
  readonly keys: string | null;
  readonly entries: string | null;
  readonly moments: string | null;
}

/** The drafts of a pack; undefined where it cannot be taken apart again. */
function unpacked({ count, keys, entries, moments }: Pack): Draft[] | undefined {
  const [names = [], texts = [], times = []] = [keys, entries, moments].map((text) => text?.split(SEPARATOR));
  if (names.length !== count || texts.length !== count || times.length !== count) return undefined;
  return names.map((name, at) => draftOf([name, texts[at] ?? null, Number(times[at])]));
}

function draftsOf(r: Reader, scope: string): Draft[] {
  const drafts: Draft[] = [];
  for (let last = Number.MIN_SAFE_INTEGER; ;) {
    const pack = r.get<Pack & object>(SELECT_PACKED, [last, scope]);
    if (!pack || pack.last === null) return drafts;
    const some = unpacked(pack);
    if (!some) return r.tuples(SELECT_SCOPE, [scope]).map(draftOf);
    drafts.push(...some);
    ({ last } = pack);
  }
}

/** Every route of a scope, in no order. */
export function routeOutlines(r: Reader, scope: string): readonly RouteOutline[] {
  const drafts = draftsOf(r, scope);
  const ids = drafts.flatMap(({ sessionId }) => sessionId ?? []);
  const ended = chunksOf(ids).flatMap((chunk) => r.all<{ id: string }>(SELECT_ENDED, [JSON.stringify(chunk)]));
  const endedIds = new Set(ended.map(({ id }) => id));
  if (endedIds.size > 0) for (const draft of drafts) draft.ended = endedIds.has(draft.sessionId ?? "");
  return drafts;
}

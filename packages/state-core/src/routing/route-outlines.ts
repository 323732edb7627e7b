import type { Reader, SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "../codec/seconds.js";
import { chunksOf } from "../retention/chunks-of.js";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { parseEntry, sessionOfEntry } from "./routing-rows.js";

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

const SELECT_SCOPE = `
  SELECT session_key, entry_json, updated_at FROM gateway_routing WHERE scope = ? ORDER BY session_key`;

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
    sessionId: (entryText && BEGINNING.exec(entryText)?.[1]) ?? sessionOfEntry(parseEntry(entryText)),
    ended: false,
    entryText,
    savedAtSeconds: isSaneSeconds(savedAt) ? savedAt : undefined,
  };
}

/** Every route of a scope, by key. */
export function routeOutlines(r: Reader, scope: string): readonly RouteOutline[] {
  const drafts = r.tuples(SELECT_SCOPE, [scope]).map(draftOf);
  const ids = drafts.flatMap(({ sessionId }) => sessionId ?? []);
  const ended = chunksOf(ids).flatMap((chunk) => r.all<{ id: string }>(SELECT_ENDED, [JSON.stringify(chunk)]));
  const endedIds = new Set(ended.map(({ id }) => id));
  if (endedIds.size > 0) for (const draft of drafts) draft.ended = endedIds.has(draft.sessionId ?? "");
  return drafts;
}

import type { Reader } from "../sql/handles.js";

const EMPTY = `
  SELECT EXISTS (SELECT 1 FROM messages) AND NOT EXISTS (SELECT 1 FROM messages_fts_docsize) AS empty`;

/** True when there are messages and none is indexed. EXISTS, never COUNT: this runs at every open (SCH-11). */
export function isIndexEmpty(r: Reader): boolean {
  return r.get<{ empty: number }>(EMPTY)?.empty === 1;
}

import { INDEXED_TOOL_CHARACTERS, type Reader } from "@hermes/state-schema";
import type { SearchRequest } from "../options/read-options.js";
import type { IncompleteReason } from "./search-answer.js";

const LONG = `m.role = 'tool' AND octet_length(m.content) > ${INDEXED_TOOL_CHARACTERS}
  AND (m.content < char(1) OR length(m.content) > ${INDEXED_TOOL_CHARACTERS})`;
const LONG_AFTER = `SELECT m.id AS id FROM messages AS m WHERE m.id >= ? AND ${LONG} LIMIT 1`;
const NEWEST = "SELECT MAX(id) AS id FROM messages";

/** Per store the id below which no tool row is long, so that a search looks at a row for this at most once. */
const watermarks = new WeakMap<object, number>();

function hasLongToolOutput(store: object, r: Reader): boolean {
  const newest = r.get<{ id: number | null }>(NEWEST)?.id ?? 0;
  const found = r.get<{ id: number }>(LONG_AFTER, [watermarks.get(store) ?? Number.MIN_SAFE_INTEGER]);
  watermarks.set(store, found?.id ?? newest + 1);
  return found !== undefined;
}

/**
 * Says what an answer leaves out (SEA-07).
 *
 * @param store - The store, for what is remembered about it.
 */
export function incompleteBecause(store: object, r: Reader, request: SearchRequest): readonly IncompleteReason[] {
  if (request.filters.roles) return ["roles-excluded"];
  return hasLongToolOutput(store, r) ? ["tool-output-truncated"] : [];
}

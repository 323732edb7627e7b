import { hash } from "node:crypto";
import type { Reader, SqlValue } from "@hermes/state-schema";

/** One of several rows that are the same message. */
export interface Copy {
  readonly id: number;
  readonly live: boolean;
  readonly compacted: boolean;
}

/** Copies have one moment, so a session whose moments all differ is done with a look at an index. */
const OUTLINES = `
  SELECT id, COALESCE(active, 1) = 1, COALESCE(compacted, 0) = 1,
    timestamp, role, octet_length(content), tool_call_id, octet_length(tool_calls), tool_name
  FROM messages
  WHERE session_id = ? AND timestamp IN (
    SELECT timestamp FROM messages WHERE session_id = ? GROUP BY timestamp HAVING COUNT(*) > 1)
  ORDER BY id`;

const BODIES = "SELECT id, content, tool_calls FROM messages WHERE id IN (SELECT value FROM json_each(?))";

/** Bodies that are in memory at a time. */
const CHUNK = 200;

function keyOf(cells: readonly SqlValue[]): string {
  return JSON.stringify(cells.map((cell) => (typeof cell === "bigint" ? [String(cell)] : cell)));
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function digest(cell: SqlValue | undefined): string {
  if (cell === null || cell === undefined) return "";
  return hash("sha256", typeof cell === "string" || cell instanceof Uint8Array ? cell : String(cell), "base64");
}

/** What rows say, in as few characters as tell them apart. */
function readDigests(r: Reader, ids: readonly number[]): Map<number, string> {
  const digests = new Map<number, string>();
  for (let from = 0; from < ids.length; from += CHUNK) {
    const bodies = r.tuples<[number, SqlValue, SqlValue]>(BODIES, [JSON.stringify(ids.slice(from, from + CHUNK))]);
    for (const [id, content, toolCalls] of bodies) digests.set(id, `${digest(content)} ${digest(toolCalls)}`);
  }
  return digests;
}

/**
 * Finds the rows of a session that are one message: each compaction that carries a message over writes it again.
 * Everything has to agree, role, content, moment, tool call id, tool calls and tool name, since two tool calls with
 * equal text are two calls (COR-28).
 *
 * @returns Groups of two rows or more, in whatever state, each in insertion order.
 */
export function readCopies(r: Reader, sessionId: string): readonly (readonly Copy[])[] {
  const outlines = r.tuples<[number, number, number, ...SqlValue[]]>(OUTLINES, [sessionId, sessionId]);
  const alike = groupBy(outlines, ([, , , ...outline]) => keyOf(outline));
  const digests = readDigests(r, alike.flat().map(([id]) => id));
  const same = alike.flatMap((group) => groupBy(group, ([id]) => digests.get(id) ?? ""));
  return same.map((group) =>
    group.map(([id, live, compacted]) => ({ id, live: live === 1, compacted: compacted === 1 })),
  );
}

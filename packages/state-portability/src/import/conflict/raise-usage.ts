import type { SqlValue, Writer } from "@hermes/state-schema";
import { CHILD_TABLES } from "../../rows/entities.js";
import { quoteName } from "../../rows/quote-name.js";
import type { RawRow } from "../../rows/raw-row.js";
import type { IncomingSession } from "../import-reader.js";
import { insertRow } from "../insert-row.js";
import type { StoreColumns } from "../store-columns.js";

const COUNTER = /_(?:tokens|count|usd)$/;
/** Counted from the rows themselves. */
const COUNTED: ReadonlySet<string> = new Set(["message_count", "tool_call_count", "rewind_count"]);

/**
 * Brings usage up to what the longer copy of a talk says: its sums include those of the shorter one, so the larger
 * number is the right one.
 */
export function raiseUsage(w: Writer, incoming: IncomingSession, columns: StoreColumns): void {
  raise(w, "sessions", counters(incoming.row), { id: incoming.id });
  for (const { entity, row } of incoming.children) {
    const child = CHILD_TABLES.find((candidate) => candidate.entity === entity);
    if (entity === "message" || !child || !columns[entity]) continue;
    const key = Object.fromEntries(child.key.map((name) => [name, row[name] ?? ""]));
    const raised = raise(w, child.table, counters(row), { session_id: incoming.id, ...key });
    if (raised === 0) insertRow(w, columns, entity, { ...row, session_id: incoming.id });
  }
}

function counters(row: RawRow): [string, number][] {
  return Object.entries(row).filter(
    (cell): cell is [string, number] => COUNTER.test(cell[0]) && !COUNTED.has(cell[0]) && typeof cell[1] === "number",
  );
}

function raise(w: Writer, table: string, values: readonly [string, number][], key: RawRow): number {
  if (values.length === 0) return 0;
  const sets = values.map(([name]) => `${quoteName(name)} = MAX(COALESCE(${quoteName(name)}, 0), ?)`);
  const where = Object.keys(key).map((name) => `${quoteName(name)} IS ?`);
  const params = [...values.map(([, value]) => value), ...(Object.values(key) as SqlValue[])];
  return w.run(`UPDATE ${table} SET ${sets.join(", ")} WHERE ${where.join(" AND ")}`, params).changes;
}

import type { Reader, SqlValue, TableModel } from "@hermes/state-schema";
import { columnOf } from "../salvage/layout/table-layout.js";
import { misfit } from "../salvage/layout/value-fit.js";
import type { SalvagedRow } from "../salvage/salvaged-row.js";

const MESSAGE_BEFORE = `
  SELECT timestamp AS seconds FROM messages WHERE id < ? AND typeof(timestamp) IN ('real', 'integer')
  ORDER BY id DESC LIMIT 1`;
const FIRST_MESSAGE = `
  SELECT MIN(timestamp) AS seconds FROM messages WHERE session_id = ? AND typeof(timestamp) IN ('real', 'integer')`;

/** A time that a row must have: that of its neighbours when its own went with the end of a long text. */
export function withTime(r: Reader, row: SalvagedRow): SalvagedRow {
  const name = row.table === "messages" ? "timestamp" : row.table === "sessions" ? "started_at" : undefined;
  if (name === undefined || (row.values[name] ?? null) !== null) return row;
  const [sql, key] = name === "timestamp" ? [MESSAGE_BEFORE, row.rowid] : [FIRST_MESSAGE, row.values["id"] ?? null];
  const seconds = r.get<{ seconds: number | null }>(sql, [key])?.seconds ?? 0;
  return { ...row, values: { ...row.values, [name]: seconds } };
}

/**
 * Cells behind the one that is broken, as SQLite reads them: it goes on over a page that was overwritten in part. They
 * are taken together or not at all, and only when every one of them can have been written where it stands.
 *
 * @param present - The row in the output, in the model's order.
 */
export function keepReadCells(model: TableModel, row: SalvagedRow, present: readonly SqlValue[]): SalvagedRow {
  const [broken, ...behind] = row.damaged;
  if (broken === undefined || behind.length === 0) return row;
  const places = new Map(model.columns.map(({ name }, place) => [name, place]));
  const read = behind.map((name): [string, SqlValue] => [name, present[places.get(name) ?? -1] ?? null]);
  const fits = read.every(([name, value]) => {
    const column = columnOf(model, name);
    return column !== undefined && misfit(column, value) === 0;
  });
  return fits ? { ...row, values: { ...row.values, ...Object.fromEntries(read) }, damaged: [broken] } : row;
}

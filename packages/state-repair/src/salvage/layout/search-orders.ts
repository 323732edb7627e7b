import { columnsAt, tableGenerations } from "@hermes/state-schema";
import type { SqlValue, TableModel } from "@hermes/state-schema";
import type { PhysicalOrder } from "./physical-orders.js";
import { LengthSample } from "./sample-by-length.js";
import { columnOf, rowidColumnOf } from "./table-layout.js";
import { misfit } from "./value-fit.js";

/** One way in which a file may have come to a version, and how badly the rows fit it. */
interface Way extends PhysicalOrder {
  readonly cost: number;
}

const KEPT_WAYS = 6;
const MOST_OF_ONE_LENGTH = 30;

type Rows = readonly (readonly SqlValue[])[];

/** How badly rows fit the columns from `start` on. */
function costOf(model: TableModel, columns: readonly string[], start: number, rows: Rows): number {
  let cost = 0;
  for (let place = start; place < columns.length; place += 1) {
    const name = columns[place] ?? "";
    const column = name === rowidColumnOf(model) ? undefined : columnOf(model, name);
    if (column) for (const row of rows) cost += misfit(column, row[place]);
  }
  return cost;
}

/** Upgrades a way to a version: what is missing is appended in declared order. */
function upgrade(model: TableModel, way: Way, version: number, rows: Rows): Way {
  const seen = new Set(way.columns);
  const added = columnsAt(model, version).filter(({ name }) => !seen.has(name));
  const columns = [...way.columns, ...added.map(({ name }) => name)];
  const before = way.columns.length;
  // A row whose count lies between was written by a version that this way leaves out.
  const between = rows.filter(({ length }) => length > before && length < columns.length).length;
  const cost = way.cost + between + costOf(model, columns, before, rows);
  return { columns, counts: [...way.counts, columns.length], cost };
}

/**
 * Finds the ways through the versions that fit the rows of one file best: a file may have been opened by any of the
 * versions in turn, and each order of upgrades leaves its own order of columns. Only the best few ways to each version
 * are followed.
 */
export function searchOrders(model: TableModel, rows: Rows): readonly PhysicalOrder[] {
  const picked = new LengthSample<readonly SqlValue[]>(MOST_OF_ONE_LENGTH);
  for (const row of rows) picked.add(row.length, row);
  const sample = picked.items;
  const longest = Math.max(0, ...sample.map(({ length }) => length));
  const start: Way = { columns: [], counts: [], cost: 0 };
  const reached: Way[][] = [];
  const ends: Way[] = [];
  for (const version of tableGenerations(model)) {
    const ways = [start, ...reached.flat()].map((way) => upgrade(model, way, version, sample));
    const best = ways.sort((a, b) => a.cost - b.cost || a.counts.length - b.counts.length).slice(0, KEPT_WAYS);
    reached.push(best.filter(({ columns }) => columns.length < longest));
    ends.push(...best.filter(({ columns }) => columns.length >= longest));
  }
  return ends.sort((a, b) => a.cost - b.cost).slice(0, KEPT_WAYS);
}

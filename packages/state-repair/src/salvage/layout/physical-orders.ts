import { tableGenerations, upgradedOrder } from "@hermes/state-schema";
import type { TableModel } from "@hermes/state-schema";

/** A physical order of columns that files of a table have had. */
export interface PhysicalOrder {
  readonly columns: readonly string[];
  /** How many fields rows were written with on the way: each version that such a file went through. */
  readonly counts: readonly number[];
}

function orderThrough(model: TableModel, versions: readonly number[]): PhysicalOrder {
  const columns = upgradedOrder(model, versions);
  const counts = versions.map((_, at) => upgradedOrder(model, versions.slice(0, at + 1)).length);
  return { columns, counts: [...new Set(counts)] };
}

const cache = new WeakMap<TableModel, readonly PhysicalOrder[]>();

/**
 * Every order that files of a table are known to have: created by one version, then upgraded to the newest at once,
 * over one stop, or through every version in turn. Derived from the model's own history, so that a new column can never
 * make rows unrecognisable (SCH-12). Fresh files come first, then fewer stops before more.
 */
export function physicalOrders(model: TableModel): readonly PhysicalOrder[] {
  const cached = cache.get(model);
  if (cached) return cached;
  const versions = tableGenerations(model);
  const newest = versions.at(-1) ?? 0;
  const paths: (readonly number[])[] = [[newest]];
  for (const start of [...versions].reverse()) paths.push([start, newest]);
  versions.forEach((_, at) => paths.push(versions.slice(at)));
  for (const start of versions) {
    for (const stop of versions) if (stop > start && stop < newest) paths.push([start, stop, newest]);
  }
  const orders = new Map<string, PhysicalOrder>();
  for (const path of paths) {
    const order = orderThrough(model, path);
    const key = order.columns.join();
    const known = orders.get(key);
    const counts = new Set([...(known?.counts ?? []), ...order.counts]);
    orders.set(key, { columns: order.columns, counts: [...counts] });
  }
  const all = [...orders.values()];
  cache.set(model, all);
  return all;
}

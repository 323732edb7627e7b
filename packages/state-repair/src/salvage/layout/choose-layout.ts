import type { SqlValue, TableModel } from "@hermes/state-schema";
import { physicalOrders } from "./physical-orders.js";
import { searchOrders } from "./search-orders.js";
import { SENTINELS } from "./sentinels.js";
import { columnOf, nameFields, rowidColumnOf, type TableLayout } from "./table-layout.js";
import { misfit } from "./value-fit.js";

/** A record whose table is to be found out. */
export interface SampleRecord {
  readonly rowid: number;
  readonly values: readonly SqlValue[];
}

function totalMisfit(model: TableModel, columns: readonly string[], sample: SampleRecord): number {
  let total = 0;
  columns.forEach((name, place) => {
    const column = columnOf(model, name);
    // The field of a rowid column is always NULL.
    if (column && name !== rowidColumnOf(model)) total += misfit(column, sample.values[place]);
  });
  return total;
}

/** The part of the samples that an order explains: identity where it must be, a count that such files had. */
function explained(layout: TableLayout, counts: readonly number[], samples: readonly SampleRecord[]): number {
  const accepts = SENTINELS[layout.table]?.alone;
  const known = samples.filter(
    ({ values, rowid }) => counts.includes(values.length) && accepts?.(nameFields(layout, values, rowid), []) === true,
  );
  return known.length;
}

/**
 * Finds the physical order of a table from rows alone. The order is the file's, not the row's, so all samples vote;
 * the count of fields only narrows the choice, identity and types decide it (REP-09).
 *
 * @returns Undefined when no known order explains at least half of the samples.
 */
export function chooseLayout(model: TableModel, samples: readonly SampleRecord[]): TableLayout | undefined {
  let best: { readonly layout: TableLayout; readonly explained: number; readonly misfit: number } | undefined;
  const found = searchOrders(
    model,
    samples.map(({ values }) => values),
  );
  for (const { columns, counts } of [...physicalOrders(model), ...found]) {
    const layout = { table: model.name, origin: "history" as const, columns, rowidColumn: rowidColumnOf(model) };
    const count = explained(layout, counts, samples);
    if (count === 0 || count * 2 < samples.length || count < (best?.explained ?? 0)) continue;
    const cost = samples.reduce((sum, sample) => sum + totalMisfit(model, columns, sample), 0);
    if (!best || count > best.explained || cost < best.misfit) best = { layout, explained: count, misfit: cost };
  }
  return best?.layout;
}

/** How badly records fit a layout; only to compare it with another one. */
export function layoutCost(model: TableModel, layout: TableLayout, samples: readonly SampleRecord[]): number {
  const longer = samples.filter(({ values }) => values.length > layout.columns.length).length;
  return samples.reduce((sum, sample) => sum + totalMisfit(model, layout.columns, sample), longer);
}

const prefixes = new WeakMap<TableModel, TableLayout>();

/**
 * The order in which every file of a table begins: enough to place a row of an unknown layout by its first fields.
 */
export function prefixLayout(model: TableModel): TableLayout {
  const known = prefixes.get(model);
  if (known) return known;
  const orders = physicalOrders(model).map(({ columns }) => columns);
  const [first = []] = orders;
  const length = first.findIndex((name, place) => orders.some((order) => order[place] !== name));
  const columns = length < 0 ? first : first.slice(0, length);
  const layout: TableLayout = { table: model.name, origin: "prefix", columns, rowidColumn: rowidColumnOf(model) };
  prefixes.set(model, layout);
  return layout;
}

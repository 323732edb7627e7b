import type { ColumnModel, TableModel } from "./table-model.js";

/** The versions at which a table gained columns, oldest first. */
export function tableGenerations(model: TableModel): readonly number[] {
  return [...new Set(model.columns.map((column) => column.since))].sort((a, b) => a - b);
}

/**
 * The columns a table had at a version, in the order of a file created then.
 *
 * @param since - A schema version; fractions as in {@link ColumnModel.since}.
 */
export function columnsAt(model: TableModel, since: number): readonly ColumnModel[] {
  return model.columns.filter((column) => column.since <= since);
}

/**
 * Physical column order of a file that was created at the first version and then upgraded through the others: each
 * upgrade appends what was missing, in declared order.
 *
 * @param versions - Schema versions in the order the file went through them.
 */
export function upgradedOrder(model: TableModel, versions: readonly number[]): readonly string[] {
  const seen = new Set<string>();
  for (const version of versions) for (const column of columnsAt(model, version)) seen.add(column.name);
  return [...seen];
}

/**
 * Every column count that files of this table have had, oldest first. A salvage classifier takes its known counts from
 * here, so adding a column to the model can never make rows unrecognisable (SCH-12).
 */
export function knownColumnCounts(model: TableModel): readonly number[] {
  return tableGenerations(model).map((since) => columnsAt(model, since).length);
}

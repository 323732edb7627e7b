import { columnsAt, tableGenerations } from "@hermes/state-schema";
import type { TableModel } from "@hermes/state-schema";

/**
 * True when a file can have come to this order of columns by versions that upgraded it in turn. Columns of somebody
 * else may stand at its end.
 */
export function isKnownOrder(model: TableModel, columns: readonly string[]): boolean {
  const known = new Set(model.columns.map(({ name }) => name));
  const own = columns.slice(0, columns.findLastIndex((name) => known.has(name)) + 1);
  const reached = new Set([0]);
  for (const version of tableGenerations(model)) {
    const declared = columnsAt(model, version).map(({ name }) => name);
    for (const before of [...reached]) {
      const seen = new Set(own.slice(0, before));
      const added = declared.filter((name) => !seen.has(name));
      if (added.every((name, place) => own[before + place] === name)) reached.add(before + added.length);
    }
  }
  return reached.has(own.length);
}

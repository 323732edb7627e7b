import { isKnownOrder } from "./is-known-order.js";
import { parseCreateTable } from "./parse-create-table.js";
import { physicalOrders } from "./physical-orders.js";
import { modelOf, rowidColumnOf, type TableLayout } from "./table-layout.js";

/** The layout a file's own schema gives a table, and whether its text had to be corrected. */
export interface SchemaLayout {
  readonly layout: TableLayout;
  /** False when a damaged text was read as the known order it resembles. */
  readonly exact: boolean;
  /** False when the order is not one that files are known to have had: then the rows have a say. */
  readonly known: boolean;
}

const MOST_MISSPELT = 3;
const MOST_WRONG_LETTERS = 4;

/** The same name with a few letters overwritten. */
function isMisspelt(name: string, expected: string): boolean {
  if (name.length !== expected.length) return false;
  let wrong = 0;
  for (let place = 0; place < name.length; place += 1) if (name[place] !== expected[place]) wrong += 1;
  return wrong <= Math.min(MOST_WRONG_LETTERS, name.length / 2);
}

/** The known order of the same length that differs in a few names only, when those names are nobody's. */
function resembles(table: string, columns: readonly string[]): readonly string[] | undefined {
  const model = modelOf(table);
  if (!model) return undefined;
  const known = new Set(model.columns.map(({ name }) => name));
  const odd = columns.filter((name) => !known.has(name));
  if (odd.length === 0 || odd.length > MOST_MISSPELT) return undefined;
  const lastKnown = columns.findLastIndex((name) => known.has(name));
  // Between columns that are where they belong any other name is a damaged one; at the end it may be somebody's own.
  const isSame = (name: string, place: number, expected: string | undefined): boolean =>
    name === expected || (!known.has(name) && (place < lastKnown || isMisspelt(name, expected ?? "")));
  return physicalOrders(model)
    .map((order) => order.columns.slice(0, columns.length))
    .find(
      (order) => order.length === columns.length && columns.every((name, place) => isSame(name, place, order[place])),
    );
}

/**
 * Reads a table's layout from the text of its CREATE TABLE. A name that nobody knows, where a known order has another,
 * is a damaged text and not a column of somebody's own.
 */
export function schemaLayout(table: string, sql: string): SchemaLayout | undefined {
  const parsed = parseCreateTable(sql);
  if (!parsed) return undefined;
  const corrected = resembles(table, parsed.columns);
  const model = modelOf(table);
  const rowidColumn = model ? rowidColumnOf(model) : parsed.rowidColumn;
  const columns = corrected ?? parsed.columns;
  const exact = corrected === undefined;
  const known = !exact || model === undefined || isKnownOrder(model, columns);
  return { layout: { table, origin: "schema", columns, rowidColumn }, exact, known };
}

import { knownColumnCounts } from "@hermes/state-schema";
import type { SqlValue } from "@hermes/state-schema";
import { prefixLayout } from "../layout/choose-layout.js";
import { SENTINELS } from "../layout/sentinels.js";
import { modelOf, nameFields, type TableLayout } from "../layout/table-layout.js";
import { isPlausibleTime } from "../layout/value-fit.js";
import type { LeafRecord } from "./read-leaf-records.js";

/** Tables whose rows can be told from all others without a schema, in the order in which they are tried. */
export const STRAY_TABLES = ["messages", "sessions", "session_model_usage", "system_prompts"] as const;

const ROLE = /^[a-z][a-z0-9_.-]{0,31}$/i;
const SOURCE = /^[a-z][a-z0-9_-]{0,31}$/;
const HASH = /^[0-9a-f]{64}$/;

const text = (value: SqlValue | undefined): string => (typeof value === "string" ? value : "");

/** Fields that files of a table have had, or more: a later version only ever adds columns. */
function isCountOf(table: string, count: number): boolean {
  const model = modelOf(table);
  if (!model) return false;
  const counts = knownColumnCounts(model);
  return counts.includes(count) || count > (counts.at(-1) ?? 0);
}

/** A first look at a record: which table it may belong to, by its count and its first fields. */
export function looksLike(table: string, { values }: LeafRecord): boolean {
  const [first, second, third] = values;
  switch (table) {
    case "messages":
      return first === null && text(second) !== "" && ROLE.test(text(third)) && isCountOf(table, values.length);
    case "sessions":
      return text(first) !== "" && SOURCE.test(text(second)) && isCountOf(table, values.length) && hasTime(values);
    case "session_model_usage":
      return values.length <= 18 && isCountOf(table, values.length) && [0, 2, 3, 4].every((at) => isText(values[at]));
    default:
      return table === "system_prompts" && values.length === 2 && HASH.test(text(first));
  }
}

function isText(value: SqlValue | undefined): boolean {
  return typeof value === "string";
}

function hasTime(values: readonly SqlValue[]): boolean {
  return values.some((value) => isPlausibleTime(value));
}

function accepts(layout: TableLayout | undefined, record: LeafRecord): layout is TableLayout {
  if (!layout) return false;
  const lost = record.damaged.flatMap((place) => layout.columns[place] ?? []);
  return SENTINELS[layout.table]?.alone(nameFields(layout, record.values, record.rowid), lost) === true;
}

/**
 * Finds the layout by which a record without an owner is read: the count and the first fields say which table, the
 * identity under that table's layout decides. A layout that nobody knows is read by its first columns only (REP-09).
 *
 * @returns Undefined when it is a row of no known table.
 */
export function classifyRecord(layouts: ReadonlyMap<string, TableLayout>, record: LeafRecord): TableLayout | undefined {
  for (const table of STRAY_TABLES) {
    const model = modelOf(table);
    if (!model || !looksLike(table, record)) continue;
    const layout = layouts.get(table);
    if (accepts(layout, record)) return layout;
    const prefix = prefixLayout(model);
    if (accepts(prefix, record)) return prefix;
  }
  return undefined;
}

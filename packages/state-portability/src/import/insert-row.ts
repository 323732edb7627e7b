import type { SqlValue, Writer } from "@hermes/state-schema";
import type { ChildEntity } from "../rows/entities.js";
import { RUNTIME_COLUMNS } from "../rows/entities.js";
import { quoteName } from "../rows/quote-name.js";
import { RawText } from "../rows/raw-row.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { TABLE_OF } from "./store-columns.js";
import type { StoreColumns } from "./store-columns.js";

type Entity = "session" | ChildEntity;

/** How rows with one list of columns are written. */
interface InsertPlan {
  readonly sql: string;
  readonly names: readonly string[];
}

/** A file has few lists of columns; one that has many does not fill the memory. */
const MOST_PLANS = 64;

/** Spelt out once per list of columns: an import writes the same one over and over. */
const plans = new WeakMap<StoreColumns, Map<string, InsertPlan>>();

/**
 * Writes one row with the columns that this store has; runtime columns of a session stay at their defaults.
 *
 * @returns The id of the row.
 */
export function insertRow(w: Writer, columns: StoreColumns, entity: Entity, row: RawRow): number {
  const raw = Object.keys(row).filter((name) => row[name] instanceof RawText);
  const { sql, names } = planOf(columns, entity, row, raw);
  return w.run(
    sql,
    names.map((name) => bound(row[name] ?? null)),
  ).lastInsertRowid;
}

function planOf(columns: StoreColumns, entity: Entity, row: RawRow, raw: readonly string[]): InsertPlan {
  let known = plans.get(columns);
  if (!known) plans.set(columns, (known = new Map<string, InsertPlan>()));
  const key = JSON.stringify([entity, raw, Object.keys(row)]);
  let plan = known.get(key);
  if (plan) return plan;
  if (known.size >= MOST_PLANS) known.clear();
  plan = makePlan(columns, entity, Object.keys(row), new Set(raw));
  known.set(key, plan);
  return plan;
}

function makePlan(
  columns: StoreColumns,
  entity: Entity,
  given: readonly string[],
  raw: ReadonlySet<string>,
): InsertPlan {
  const names = given.filter(
    (name) => columns[entity]?.has(name) && !(entity === "session" && RUNTIME_COLUMNS.has(name)),
  );
  const places = names.map((name) => (raw.has(name) ? "CAST(? AS TEXT)" : "?")).join(", ");
  const sql = `INSERT INTO ${TABLE_OF[entity]} (${names.map(quoteName).join(", ")}) VALUES (${places})`;
  return { sql, names };
}

function bound(cell: Cell): SqlValue {
  return cell instanceof RawText ? cell.bytes : cell;
}

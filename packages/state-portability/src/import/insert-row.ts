import type { SqlValue, Writer } from "@hermes/state-schema";
import type { ChildEntity } from "../rows/entities.js";
import { RUNTIME_COLUMNS } from "../rows/entities.js";
import { quoteName } from "../rows/quote-name.js";
import { RawText } from "../rows/raw-row.js";
import type { RawRow } from "../rows/raw-row.js";
import { TABLE_OF } from "./store-columns.js";
import type { StoreColumns } from "./store-columns.js";

type Entity = "session" | ChildEntity;

/** Cells that are decided here, whatever the row says; an `undefined` one is left to the table. */
export interface PlacedCells {
  readonly session_id?: string;
  readonly id?: SqlValue | undefined;
  readonly display_order?: number;
}

/** How rows with one list of columns are written. */
interface InsertPlan {
  readonly sql: string;
  /** How many cells the row has, written or not. */
  readonly given: number;
  /** Cells of the row that are bound, in order, before those that are placed. */
  readonly names: readonly string[];
  readonly placed: readonly (keyof PlacedCells)[];
}

/** A file has few lists of columns; one that has many does not fill the memory. */
const MOST_PLANS = 64;

const NOTHING: PlacedCells = {};

/** Spelt out once per list of columns: an import writes the same one over and over. */
const plans = new WeakMap<StoreColumns, Map<string, InsertPlan>>();

/**
 * Writes one row with the columns that this store has; runtime columns of a session stay at their defaults.
 *
 * @returns The id of the row.
 */
export function insertRow(
  w: Writer,
  columns: StoreColumns,
  entity: Entity,
  row: RawRow,
  placed: PlacedCells = NOTHING,
): number {
  const { sql, names, placed: own } = planOf(columns, entity, row, placed);
  const values: SqlValue[] = [];
  for (const name of names) {
    const cell = row[name] ?? null;
    values.push(cell instanceof RawText ? cell.bytes : cell);
  }
  for (const name of own) values.push(placed[name] ?? null);
  return w.run(sql, values).lastInsertRowid;
}

function planOf(columns: StoreColumns, entity: Entity, row: RawRow, placed: PlacedCells): InsertPlan {
  let known = plans.get(columns);
  if (!known) plans.set(columns, (known = new Map<string, InsertPlan>()));
  const given = Object.keys(row);
  const key = keyOf(entity, given, row, placed);
  let plan = known.get(key);
  if (plan?.given === given.length) return plan;
  plan = makePlan(columns, entity, row, placed);
  if (known.size >= MOST_PLANS) known.clear();
  // With a comma in a name two lists could be spelt alike; where there is none, the number of names tells them apart.
  if (!given.some((name) => name.includes(","))) known.set(key, plan);
  return plan;
}

function keyOf(entity: Entity, given: readonly string[], row: RawRow, placed: PlacedCells): string {
  let key = `${entity},${given.join(",")}`;
  for (const name of given) if (row[name] instanceof RawText) key += `,raw ${name}`;
  for (const name in placed) key += placed[name as keyof PlacedCells] === undefined ? `,no ${name}` : `,own ${name}`;
  return key;
}

function makePlan(columns: StoreColumns, entity: Entity, row: RawRow, placed: PlacedCells): InsertPlan {
  const known = columns[entity];
  const given = Object.keys(row);
  const names = given.filter(
    (name) => known?.has(name) && !Object.hasOwn(placed, name) && !(entity === "session" && RUNTIME_COLUMNS.has(name)),
  );
  const own = (Object.keys(placed) as (keyof PlacedCells)[]).filter((name) => placed[name] !== undefined);
  const places = [
    ...names.map((name) => (row[name] instanceof RawText ? "CAST(? AS TEXT)" : "?")),
    ...own.map(() => "?"),
  ];
  const into = [...names, ...own].map(quoteName).join(", ");
  const sql = `INSERT INTO ${TABLE_OF[entity]} (${into}) VALUES (${places.join(", ")})`;
  return { sql, given: given.length, names, placed: own };
}

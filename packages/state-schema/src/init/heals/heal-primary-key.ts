import type { Writer } from "../../sql/handles.js";
import { renderTable } from "../../tables/render-table.js";
import type { ColumnModel, TableModel } from "../../tables/table-model.js";
import { readSchemaFacts, type ColumnFacts, type SchemaFacts } from "../schema-facts.js";

/** How rows that would share a key under the new one are settled. */
export interface KeyHeal {
  readonly table: TableModel;
  /** `REPLACE`: the last one copied wins. `IGNORE`: the first one copied wins. */
  readonly conflict: "REPLACE" | "IGNORE";
  readonly orderBy: string;
}

/** True when the table exists and its key has other columns than the model's, which no ADD COLUMN can put right. */
export function needsKeyHeal(facts: SchemaFacts, table: TableModel): boolean {
  const columns = facts.columns.get(table.name);
  if (columns === undefined || !table.columns.every(({ name }) => columns.has(name))) return false;
  const key = [...columns.values()].filter((column) => column.key > 0).map((column) => column.name);
  return key.length !== table.primaryKey.length || !table.primaryKey.every((name) => key.includes(name));
}

/**
 * Recreates a table with the key of the model, keeping every row, every unknown column, index and trigger (SCH-03). The
 * caller's transaction runs without foreign-key enforcement: orphan rows must survive.
 *
 * No table is renamed: a rename would parse every view and trigger of the file, and one broken search trigger would
 * stop it.
 *
 * @returns False when a sibling was faster.
 */
export function healPrimaryKey(w: Writer, heal: KeyHeal): boolean {
  const facts = readSchemaFacts(w);
  if (!needsKeyHeal(facts, heal.table)) return false;
  const { name, columns } = heal.table;
  const known = new Set(columns.map((column) => column.name));
  const extra = [...(facts.columns.get(name)?.values() ?? [])].filter((column) => !known.has(column.name));
  const targets = [...columns.map((column) => quote(column.name)), ...extra.map((column) => quote(column.name))];
  const values = [...columns.map(filledValue), ...extra.map((column) => quote(column.name))];
  const satellites = [...facts.objects.values()].filter(
    (object) => object.table === name && object.type !== "table" && object.sql !== null,
  );
  w.exec(`CREATE TEMP TABLE key_heal AS SELECT ${targets.join(", ")} FROM main.${name} ORDER BY ${heal.orderBy}`);
  w.exec(`DROP TABLE main.${name}`);
  w.exec(renderTable(heal.table, extra.map(renderExtra)));
  w.exec(`INSERT OR ${heal.conflict} INTO main.${name} (${targets.join(", ")})
    SELECT ${values.join(", ")} FROM temp.key_heal ORDER BY rowid`);
  w.exec("DROP TABLE temp.key_heal");
  for (const { sql } of satellites) w.exec(sql ?? "");
  return true;
}

function filledValue(column: ColumnModel): string {
  if (!column.notNull) return quote(column.name);
  const empty = column.type === "TEXT" ? "''" : "0";
  return `COALESCE(${quote(column.name)}, ${typeof column.default === "number" ? String(column.default) : empty})`;
}

function renderExtra(column: ColumnFacts): string {
  const notNull = column.notNull ? " NOT NULL" : "";
  const fallback = column.default === null ? "" : ` DEFAULT (${column.default})`;
  return `${quote(column.name)} ${column.type}${notNull}${fallback}`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

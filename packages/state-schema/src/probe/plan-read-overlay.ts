import type { Reader } from "../sql/handles.js";
import { renderDefault } from "../tables/render-table.js";
import type { ColumnModel, TableModel } from "../tables/table-model.js";
import { REQUIRED_TABLES } from "../tables/tables.js";

const KNOWN = REQUIRED_TABLES.map(({ name }) => `'${name}'`).join(", ");
const COLUMNS = `
  SELECT m.name AS "table", c.name AS name, c."notnull" AS "notNull"
  FROM main.sqlite_master AS m JOIN pragma_table_info(m.name, 'main') AS c
  WHERE m.type = 'table' AND m.name IN (${KNOWN})`;

/**
 * Statements that give an old file the newest shape on a connection that cannot change it: temporary views in front
 * of tables that lack columns or are missing, with absent cells as their defaults and a NULL `active` as 1. Readers
 * written for the newest shape then work unchanged, and the engine still uses the indexes behind the views (SCH-10).
 *
 * @returns One CREATE TEMP VIEW per table that needs it; empty for an up-to-date file. Run them before
 * `PRAGMA query_only=ON`, which refuses temporary objects too.
 */
export function planReadOverlay(r: Reader): string[] {
  const tables = new Map<string, Map<string, boolean>>();
  for (const { table, name, notNull } of r.all<{ table: string; name: string; notNull: number }>(COLUMNS)) {
    const columns = tables.get(table) ?? new Map<string, boolean>();
    tables.set(table, columns.set(name, notNull === 1));
  }
  return REQUIRED_TABLES.flatMap((table) => overlay(table, tables.get(table.name)));
}

function overlay(table: TableModel, present: ReadonlyMap<string, boolean> | undefined): string[] {
  if (present === undefined) {
    const cells = table.columns.map(({ name }) => `NULL AS "${name}"`);
    return [`CREATE TEMP VIEW "${table.name}" AS SELECT NULL AS rowid, ${cells.join(", ")} WHERE 0`];
  }
  const nullable = table.name === "messages" && present.get("active") === false;
  if (!nullable && table.columns.every(({ name }) => present.has(name))) return [];
  const known = new Set(table.columns.map(({ name }) => name));
  const foreign = [...present.keys()].filter((name) => !known.has(name)).map(quoted);
  const cells = [...table.columns.map((column) => cell(table, column, present)), ...foreign];
  return [`CREATE TEMP VIEW "${table.name}" AS SELECT rowid AS rowid, ${cells.join(", ")} FROM main."${table.name}"`];
}

const ACTIVE = "COALESCE(active, 1) AS active";

function cell(table: TableModel, column: ColumnModel, present: ReadonlyMap<string, boolean>): string {
  const notNull = present.get(column.name);
  if (notNull === undefined) return `${renderDefault(column)} AS "${column.name}"`;
  if (table.name === "messages" && column.name === "active" && !notNull) return ACTIVE;
  return quoted(column.name);
}

/** Columns of other programs are passed through under whatever name they have (GND-01). */
function quoted(name: string): string {
  const quotedName = `"${name.replaceAll('"', '""')}"`;
  return `${quotedName} AS ${quotedName}`;
}

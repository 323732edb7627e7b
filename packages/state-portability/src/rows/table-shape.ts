import { renderColumn, TABLES } from "@hermes/state-schema";
import type { Reader, TableName } from "@hermes/state-schema";
import { DERIVED_COLUMNS } from "./entities.js";

/** One column that an export carries. */
export interface ColumnShape {
  readonly name: string;
  /** Type, NOT NULL and default, as ALTER TABLE ADD COLUMN takes them: `INTEGER NOT NULL DEFAULT 0`. */
  readonly declaration: string;
}

/** The columns of one table that an export carries: the known ones in declared order, then the file's own by name. */
export interface TableShape {
  readonly table: TableName;
  readonly columns: readonly ColumnShape[];
}

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly required: number;
  readonly initial: string | null;
}

const COLUMNS_SQL = `SELECT name, type, "notnull" AS required, dflt_value AS initial
  FROM pragma_table_info(?, 'main')`;

/**
 * What one table of this file holds, judged by name and never by position (GND-01).
 *
 * @returns The shape; undefined when the file lacks a table that not every file has. An old file that lacks one of the
 * others reads as if it were there and empty (SCH-10).
 */
export function tableShape(r: Reader, table: TableName): TableShape | undefined {
  const physical = r.all<ColumnInfo>(COLUMNS_SQL, [table]);
  if (physical.length === 0 && TABLES[table].presence === "opt-in") return undefined;
  const known = knownColumns(table);
  const names = new Set(TABLES[table].columns.map((column) => column.name));
  const extra = physical
    .filter((column) => !names.has(column.name))
    .map((column) => ({ name: column.name, declaration: declarationOf(column) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { table, columns: [...known, ...extra] };
}

/** The columns that every file of the newest schema has, without the derived ones. */
export function knownColumns(table: TableName): ColumnShape[] {
  return TABLES[table].columns
    .filter((column) => !DERIVED_COLUMNS.has(column.name))
    .map((column) => ({ name: column.name, declaration: renderColumn(column).slice(column.name.length + 1) }));
}

function declarationOf(column: ColumnInfo): string {
  const parts = [column.type];
  if (column.required) parts.push("NOT NULL");
  if (column.initial !== null) parts.push(`DEFAULT ${column.initial}`);
  return parts.filter((part) => part !== "").join(" ");
}

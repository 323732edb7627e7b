import type { Reader } from "../sql/handles.js";
import type { TableModel } from "../tables/table-model.js";
import { REQUIRED_TABLES } from "../tables/tables.js";

/** What a read-only open finds out about the age of a file. */
export interface SchemaProbe {
  /** Every table and column of the model is there. */
  readonly current: boolean;
  readonly missingTables: readonly string[];
  readonly missingColumns: readonly { readonly table: string; readonly column: string }[];
}

const TABLE_COLUMNS = "SELECT name FROM pragma_table_info(?, 'main')";

/**
 * Asks for every declared column with statements that return no rows. Each column is qualified by its table: a bare
 * quoted name that does not exist would be read as a text (SCH-10). Nothing is written, no DDL runs.
 */
export function probeSchema(r: Reader): SchemaProbe {
  const missingTables: string[] = [];
  const missingColumns: { table: string; column: string }[] = [];
  for (const table of REQUIRED_TABLES) {
    const present = presentColumns(r, table);
    if (present === undefined) continue;
    if (present.size === 0) missingTables.push(table.name);
    else missingColumns.push(...absentFrom(table, present));
  }
  return { current: missingTables.length + missingColumns.length === 0, missingTables, missingColumns };
}

/** The statement that fails unless a table has all its columns. */
export function probeSql(table: TableModel): string {
  const columns = table.columns.map(({ name }) => `"${table.name}"."${name}"`).join(", ");
  return `SELECT ${columns} FROM main."${table.name}" LIMIT 0`;
}

function absentFrom(table: TableModel, present: ReadonlySet<string>): { table: string; column: string }[] {
  const absent = table.columns.filter(({ name }) => !present.has(name));
  return absent.map(({ name }) => ({ table: table.name, column: name }));
}

/** Columns of a table that does not answer its probe; undefined when it does. */
function presentColumns(r: Reader, table: TableModel): ReadonlySet<string> | undefined {
  try {
    r.all(probeSql(table));
    return undefined;
  } catch (error) {
    const present = new Set(r.all<{ name: string }>(TABLE_COLUMNS, [table.name]).map(({ name }) => name));
    if (table.columns.every(({ name }) => present.has(name))) throw error;
    return present;
  }
}

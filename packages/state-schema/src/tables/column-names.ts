import type { TableModel } from "./table-model.js";
import { TABLES, type TableName } from "./tables.js";

/**
 * Names of a table's columns, in the order of a fresh file.
 *
 * @param table - A known name or a model.
 */
export function columnNames(table: TableName | TableModel): readonly string[] {
  const model = typeof table === "string" ? TABLES[table] : table;
  return model.columns.map((column) => column.name);
}

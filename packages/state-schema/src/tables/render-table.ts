import type { ColumnModel, ForeignKeyModel, IndexModel, TableModel } from "./table-model.js";

/** The default of a column as SQL; NULL when the DDL names none. */
export function renderDefault(column: ColumnModel): string {
  if (column.default === undefined) return "NULL";
  return typeof column.default === "number" ? String(column.default) : `'${column.default.replaceAll("'", "''")}'`;
}

/**
 * Definition of a column as ALTER TABLE ADD COLUMN takes it: type, NOT NULL and default, no key and no reference.
 */
export function renderColumn(column: ColumnModel): string {
  const parts = [column.name, column.type];
  if (column.notNull) parts.push("NOT NULL");
  if (column.default !== undefined) parts.push(`DEFAULT ${renderDefault(column)}`);
  return parts.join(" ");
}

/**
 * The CREATE TABLE statement of a fresh file.
 *
 * @param model - The table.
 * @param extraColumns - Definitions of columns that a file has beyond the model.
 */
export function renderTable(model: TableModel, extraColumns: readonly string[] = []): string {
  const [key, ...more] = model.primaryKey;
  const lines = model.columns.map((column) => {
    const isKey = more.length === 0 && column.name === key;
    return renderColumn(column) + (isKey ? ` PRIMARY KEY${model.autoincrement ? " AUTOINCREMENT" : ""}` : "");
  });
  lines.push(...extraColumns);
  if (more.length > 0) lines.push(`PRIMARY KEY (${model.primaryKey.join(", ")})`);
  lines.push(...model.foreignKeys.map(renderForeignKey));
  return `CREATE TABLE IF NOT EXISTS ${model.name} (\n  ${lines.join(",\n  ")}\n)`;
}

/** The CREATE INDEX statement of an index. */
export function renderIndex(model: TableModel, index: IndexModel): string {
  const unique = index.unique ? "UNIQUE " : "";
  const where = index.where === undefined ? "" : `\n  WHERE ${index.where}`;
  return `CREATE ${unique}INDEX IF NOT EXISTS ${index.name}\n  ON ${model.name}(${index.on})${where}`;
}

function renderForeignKey(key: ForeignKeyModel): string {
  const action = key.onDelete === undefined ? "" : ` ON DELETE ${key.onDelete}`;
  return `FOREIGN KEY (${key.column}) REFERENCES ${key.table}(${key.references})${action}`;
}

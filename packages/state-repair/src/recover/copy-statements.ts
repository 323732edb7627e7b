import { TABLES } from "@hermes/state-schema";
import type { ColumnModel, TableModel } from "@hermes/state-schema";
import { columnOf, rowidColumnOf } from "../salvage/layout/table-layout.js";
import type { CopyTable } from "./settle-copy.js";

/** The name under which the copy is attached to the output. */
export const COPY = "damaged";

/** The statements that copy one table from the attached copy. */
export interface CopyStatements {
  readonly table: string;
  readonly lowest: string;
  readonly highest: string;
  /** Parameters: a key; the first key that is not below it. */
  readonly from: string;
  /** Parameters: low, high, limit. The last key of the next rows, how many they are, and how many of them count. */
  readonly next: string;
  /** Parameters: low, high. */
  readonly insert: string;
  /** Parameters: a key. */
  readonly insertOne: string;
}

/** Columns whose type must be right in a row of a damaged table. */
const IDENTITY: Readonly<Record<string, readonly string[] | undefined>> = {
  messages: ["session_id", "role"],
  sessions: ["id", "source"],
  session_model_usage: ["session_id", "model"],
  system_prompts: ["hash", "prompt"],
  state_meta: ["key"],
};

/** Keys of the meta table that belong to one file's search index, or to its life: the output has its own. */
const OWN_META = `key NOT LIKE 'fts\\_%' ESCAPE '\\'
  AND key NOT IN ('telegram_dm_topic_schema_version', 'db_file_generation')`;

/** Quotes a name of the file. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What a column reads as: old files lack defaults that the newest shape needs. */
function selected(column: ColumnModel | undefined, name: string): string {
  if (column?.notNull !== true || column.default === undefined) return quote(name);
  const value = typeof column.default === "number" ? String(column.default) : `'${column.default}'`;
  return `COALESCE(${quote(name)}, ${value})`;
}

function condition(table: string, damaged: boolean): string {
  const parts = table === "state_meta" ? [OWN_META] : [];
  for (const name of damaged ? (IDENTITY[table] ?? []) : []) {
    parts.push(`typeof(${quote(name)}) = 'text' AND ${quote(name)} <> ''`);
  }
  return parts.length === 0 ? "" : ` AND ${parts.join(" AND ")}`;
}

/** Rows that stay behind on purpose are not counted as lost. */
function counted(table: string): string {
  return table === "state_meta" ? `(${OWN_META})` : "1";
}

/** Newer rows of one key replace older ones: the output keeps what was written last. */
const REPLACING = new Set(["gateway_routing", "state_meta"]);

/**
 * Builds the statements that copy a table, columns by name.
 *
 * @param source - The table as the copy has it.
 * @param columns - Columns of the output's table.
 * @param damaged - True when the table is not sound: then every row must show its identity.
 */
export function copyStatements(source: CopyTable, columns: readonly string[], damaged: boolean): CopyStatements {
  const { name } = source;
  const model: TableModel | undefined = (TABLES as Readonly<Record<string, TableModel | undefined>>)[name];
  const mine = new Map(columns.map((column) => [column.toLowerCase(), column]));
  const shared = source.columns.filter((column) => mine.has(column.toLowerCase()));
  const keyed = model === undefined || rowidColumnOf(model) !== undefined || REPLACING.has(name);
  const targets = [...(keyed ? [] : ["rowid"]), ...shared.map(quote)].join(", ");
  const values = [
    ...(keyed ? [] : ["rowid"]),
    ...shared.map((column) => selected(model && columnOf(model, column), column)),
  ].join(", ");
  const from = `${COPY}.${quote(name)}`;
  const verb = `INSERT OR ${REPLACING.has(name) ? "REPLACE" : "IGNORE"} INTO main.${quote(name)} (${targets})`;
  const where = condition(name, damaged);
  return {
    table: name,
    lowest: `SELECT rowid AS key FROM ${from} NOT INDEXED ORDER BY rowid LIMIT 1`,
    highest: `SELECT rowid AS key FROM ${from} NOT INDEXED ORDER BY rowid DESC LIMIT 1`,
    from: `SELECT rowid AS key FROM ${from} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1`,
    next: `SELECT MAX(key) AS last, COUNT(*) AS count, SUM(counted) AS counted FROM (
      SELECT rowid AS key, ${counted(name)} AS counted FROM ${from} NOT INDEXED
      WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?)`,
    insert: `${verb} SELECT ${values} FROM ${from} NOT INDEXED WHERE rowid BETWEEN ? AND ?${where} ORDER BY rowid`,
    insertOne: `${verb} SELECT ${values} FROM ${from} NOT INDEXED WHERE rowid = ?${where}`,
  };
}

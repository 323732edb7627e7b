import type { MaintenanceConnection } from "@hermes/state-core";
import { renderIndex, renderTable, TABLES } from "@hermes/state-schema";
import type { TableModel } from "@hermes/state-schema";
import { modelOf } from "../salvage/layout/table-layout.js";
import { quote } from "./copy-statements.js";
import type { CopyTable } from "./settle-copy.js";

const COLUMNS_SQL = "SELECT name FROM pragma_table_info(?) ORDER BY cid";
const STAMP_TOPICS = `
  INSERT INTO state_meta (key, value) VALUES ('telegram_dm_topic_schema_version', '2')
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Tables that belong to the engine or to a search index; they are never copied, since they are made again. */
const DERIVED = /^(?:sqlite_|messages_fts|fts_v22_trash_)/;

/** True for a table of somebody else's that lives in the same file. */
export function isForeignTable(name: string): boolean {
  return modelOf(name) === undefined && !DERIVED.test(name);
}

/** Columns of a table of the output; empty when there is none of that name. */
export function outputColumns(output: MaintenanceConnection, table: string): readonly string[] {
  return output.all<{ name: string }>(COLUMNS_SQL, [table]).map(({ name }) => name);
}

/** These are made together, and their version stands for both. */
const TOPIC_TABLES: readonly TableModel[] = [TABLES.telegram_dm_topic_mode, TABLES.telegram_dm_topic_bindings];

/** Makes a table that stores get on request only, unless it is there; nothing for any other. */
export function createOptional(output: MaintenanceConnection, model: TableModel): void {
  if (model.presence !== "opt-in") return;
  const isTopic = TOPIC_TABLES.includes(model);
  for (const table of isTopic ? TOPIC_TABLES : [model]) {
    output.exec(renderTable(table));
    for (const index of table.indexes) output.exec(renderIndex(table, index));
  }
  if (isTopic) output.run(STAMP_TOPICS);
}

function addColumns(output: MaintenanceConnection, source: CopyTable): void {
  const present = new Set(outputColumns(output, source.name).map((name) => name.toLowerCase()));
  source.columns.forEach((name, place) => {
    if (present.has(name.toLowerCase())) return;
    output.exec(`ALTER TABLE ${quote(source.name)} ADD COLUMN ${quote(name)} ${source.types[place] ?? ""}`);
  });
}

/**
 * Makes room in the output for a table of the source: tables that are made on request only, tables of somebody else,
 * and columns that this version does not know, unless their names may be damaged ones.
 *
 * @param sound - False when the source's own text may be damaged.
 * @throws the engine's error when the source's own text does not make a table
 */
export function shapeOutput(output: MaintenanceConnection, source: CopyTable, sound: boolean): void {
  const model = modelOf(source.name);
  output.transaction(() => {
    if (model) createOptional(output, model);
    else output.exec(source.sql);
    if (sound) addColumns(output, source);
  });
}

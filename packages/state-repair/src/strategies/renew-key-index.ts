import type { MaintenanceConnection } from "@hermes/state-core";
import { quoted } from "../check/schema/schema-objects.js";
import { openSchema, requireSchema } from "./schema-rows.js";
import type { SchemaRow } from "./schema-rows.js";
import type { Change } from "./strategy.js";

const COLUMNS = "SELECT name FROM pragma_index_info(?) ORDER BY seqno";
const ROOT = "SELECT rootpage AS root FROM main.sqlite_master WHERE type = 'index' AND name = ?";
const ADOPT = "UPDATE main.sqlite_master SET rootpage = ? WHERE rowid = ?";
const FORGET = "DELETE FROM main.sqlite_master WHERE type = 'index' AND name = ?";
const TEMPORARY = "hermes_repair_key";

/**
 * Gives the index behind a primary key or UNIQUE rule new pages. No statement makes such an index apart from its table,
 * so an equal one is made under another name, and its root is handed over.
 */
export function renewKeyIndex(connection: MaintenanceConnection, row: SchemaRow): Change {
  const columns = connection.tuples<[string]>(COLUMNS, [row.name]).map(([name]) => quoted(name));
  if (columns.length === 0) throw new Error(`the columns of ${row.name} cannot be read`);
  connection.exec(`CREATE UNIQUE INDEX ${TEMPORARY} ON ${quoted(row.table)} (${columns.join(", ")})`);
  const root = connection.get<{ root: number }>(ROOT, [TEMPORARY])?.root ?? 0;
  openSchema(connection);
  connection.run(ADOPT, [root, row.rowid]);
  connection.run(FORGET, [TEMPORARY]);
  requireSchema(connection);
  return { kind: "recreated", object: row.name, detail: `The key of ${row.table}, made again from its rows.` };
}

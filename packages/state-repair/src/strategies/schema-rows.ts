import type { MaintenanceConnection } from "@hermes/state-core";
import type { SchemaObject } from "../check/schema/schema-objects.js";

/** One row of the schema table, with the number under which it can be edited. */
export interface SchemaRow extends SchemaObject {
  readonly rowid: number;
}

/** The object whose definition keeps the schema from being read. */
export interface SchemaProblem {
  readonly name: string;
  readonly reason: string;
}

const ROWS = `
  SELECT rowid, type, name, tbl_name AS "table", rootpage AS root, sql FROM main.sqlite_master ORDER BY rowid`;
const FIRST = "SELECT 1 AS found FROM main.sqlite_master LIMIT 1";
const DELETE_ROW = "DELETE FROM main.sqlite_master WHERE rowid = ?";
const MALFORMED = /malformed database schema \((.*?)\)(?: - (.*))?$/s;
const COOKIE_LIMIT = 0x7fffffff;

/**
 * Lets statements run on whatever part of the schema can be read, and edit its table. The first statement after a
 * damaged schema was met fails even so, and is spent here.
 */
export function openSchema(connection: MaintenanceConnection): void {
  connection.pragma("writable_schema=ON");
  try {
    connection.get(FIRST);
  } catch {
    // From the second statement on the readable part counts; if not, that one says so.
    connection.get(FIRST);
  }
}

/** Reads the schema again as any other connection would. */
export function reloadSchema(connection: MaintenanceConnection): SchemaProblem | undefined {
  connection.pragma("writable_schema=RESET");
  try {
    connection.get(FIRST);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, name, reason = ""] = MALFORMED.exec(message) ?? [];
    if (name === undefined) throw error;
    return { name: name === "?" ? "" : name, reason };
  }
}

/** @throws Error naming the object that keeps the schema from being read. */
export function requireSchema(connection: MaintenanceConnection): void {
  const problem = reloadSchema(connection);
  if (problem) throw new Error(`the schema cannot be read: ${problem.name} ${problem.reason}`.trimEnd());
}

/** All rows of the schema table, also where some of them make no sense. Needs {@link openSchema}. */
export function readSchemaRows(connection: MaintenanceConnection): SchemaRow[] {
  return connection.all<SchemaRow & object>(ROWS);
}

/** Takes rows out of the schema table. What they stood for stays in the file as pages that belong to nothing. */
export function deleteSchemaRows(connection: MaintenanceConnection, rows: readonly SchemaRow[]): void {
  for (const { rowid } of rows) connection.run(DELETE_ROW, [rowid]);
}

/** Tells every other connection that the schema is another one: an edit of its table alone does not (REP-07). */
export function bumpSchemaCookie(connection: MaintenanceConnection): void {
  const cookie = Number(connection.pragma("schema_version"));
  connection.pragma(`schema_version=${String((cookie + 1) & COOKIE_LIMIT)}`);
}

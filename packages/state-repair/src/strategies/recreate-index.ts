import type { MaintenanceConnection } from "@hermes/state-core";
import { quoted } from "../check/schema/schema-objects.js";
import { damagedIndexes, ordinaryIndexes } from "./damaged-indexes.js";
import { knownIndexSql } from "./known-index.js";
import { renewKeyIndex } from "./renew-key-index.js";
import { deleteSchemaRows, openSchema, readSchemaRows, reloadSchema, requireSchema } from "./schema-rows.js";
import type { SchemaRow } from "./schema-rows.js";
import type { Change, Strategy } from "./strategy.js";

const DEFINITION = /^CREATE\s+(?:UNIQUE\s+)?INDEX\b/i;

/**
 * Makes damaged indexes of the tables anew: their entry is taken out of the schema, without touching a page that may be
 * somebody else's, and the table model, or their own definition, makes them again.
 */
export const recreateIndex: Strategy = {
  name: "recreate_index",
  diagnose({ connection, findings }) {
    const problem = reloadSchema(connection);
    openSchema(connection);
    const rows = readSchemaRows(connection);
    const { named, broken, rootless } = damagedIndexes(connection, rows, findings);
    const unreadable = ordinaryIndexes(rows).filter((row) => !isReadable(row) || row.name === problem?.name);
    // While the schema cannot be read, only what keeps it so is treated: the rest may get by with less afterwards.
    const stale = problem === undefined ? [...broken, ...named] : [];
    const targets = new Set([...unreadable, ...rootless, ...stale].map(({ name }) => name));
    return targets.size === 0 ? undefined : [...targets];
  },
  treat(connection, names) {
    const problem = reloadSchema(connection);
    openSchema(connection);
    const targets = readSchemaRows(connection).filter(({ type, name }) => type === "index" && names.includes(name));
    const keys = targets.filter(isKey);
    const others = targets.filter((row) => !isKey(row));
    deleteSchemaRows(connection, others);
    requireSchema(connection);
    const changes = others.map((row) => makeAgain(connection, row, !isReadable(row) || row.name === problem?.name));
    changes.push(...keys.map((row) => renewKeyIndex(connection, row)));
    return { changes, leavesPages: true };
  },
};

/** Made by the engine for a rule of the table, so no statement makes it. */
function isKey({ sql, name }: Pick<SchemaRow, "sql" | "name">): boolean {
  return sql === null && name.startsWith("sqlite_autoindex_");
}

function isReadable({ sql, name }: Pick<SchemaRow, "sql" | "name">): boolean {
  return sql === null ? isKey({ sql, name }) : DEFINITION.test(sql);
}

function makeAgain(connection: MaintenanceConnection, row: SchemaRow, unreadable: boolean): Change {
  const sql = knownIndexSql(row.name) ?? (unreadable ? undefined : (row.sql ?? undefined));
  if (sql === undefined) {
    return {
      kind: "lost",
      object: row.name,
      detail: `Another program made this index of ${row.table}; its definition cannot be read. No row is affected.`,
    };
  }
  connection.exec("SAVEPOINT again");
  try {
    connection.exec(sql);
    return { kind: "recreated", object: row.name, detail: `Made again from the rows of ${quoted(row.table)}.` };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // The index was the last thing that kept the rule; the next writing open heals the rows and makes it.
    connection.exec("ROLLBACK TO again");
    return { kind: "lost", object: row.name, detail: "Rows break its rule; the next writing open sorts that out." };
  } finally {
    connection.exec("RELEASE again");
  }
}

function isDuplicate(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_CONSTRAINT");
}

import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";

/** A table of the copy, as SQLite sees it. */
export interface CopyTable {
  readonly name: string;
  readonly sql: string;
  readonly columns: readonly string[];
  /** Types of the columns, in the same order. */
  readonly types: readonly string[];
}

/** What SQLite makes of the copy. */
export interface SettledCopy {
  /** Undefined when SQLite cannot read the schema: `error` says why. */
  readonly tables: ReadonlyMap<string, CopyTable> | undefined;
  readonly journalMode: string | undefined;
  readonly schemaVersion: number | undefined;
  readonly error: string | undefined;
}

const TABLES_SQL = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name";
const COLUMNS_SQL = "SELECT name, type FROM pragma_table_info(?) ORDER BY cid";
const VERSION_SQL = "SELECT MAX(version) AS version FROM schema_version";

function readTables(copy: MaintenanceConnection): Map<string, CopyTable> {
  const tables = new Map<string, CopyTable>();
  for (const { name, sql } of copy.all<{ name: string; sql: string }>(TABLES_SQL)) {
    const columns = copy.all<{ name: string; type: string }>(COLUMNS_SQL, [name]);
    tables.set(name, {
      name,
      sql,
      columns: columns.map((column) => column.name),
      types: columns.map(({ type }) => type),
    });
  }
  return tables;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // What cannot be read stays unknown; the caller reports what was lost, table by table.
    return undefined;
  }
}

function readVersion(copy: MaintenanceConnection): number | undefined {
  const version = copy.get<{ version: unknown }>(VERSION_SQL)?.version;
  return typeof version === "number" ? version : undefined;
}

/**
 * Opens the copy once: the engine rolls back a hot journal and folds the log into the main file, as far as it can.
 *
 * @param path - The private copy; it is changed.
 */
export function settleCopy(path: string): SettledCopy {
  let journalMode: string | undefined;
  try {
    using copy = openMaintenanceConnection(path);
    const mode = attempt(() => copy.pragma("journal_mode"));
    journalMode = typeof mode === "string" ? mode : undefined;
    attempt(() => copy.pragma("wal_checkpoint(TRUNCATE)"));
    const tables = readTables(copy);
    return { tables, journalMode, schemaVersion: attempt(() => readVersion(copy)), error: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { tables: undefined, journalMode, schemaVersion: undefined, error: reason };
  }
}

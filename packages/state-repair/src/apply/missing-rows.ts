import type { MaintenanceConnection } from "@hermes/state-core";
import { engineTrouble } from "../check/engine-error.js";
import { quoted } from "../check/schema/schema-objects.js";
import { judgeRoots } from "../strategies/judge-roots.js";
import { readSchemaRows } from "../strategies/schema-rows.js";
import type { SchemaRow } from "../strategies/schema-rows.js";

/** Rows that indexes still list and their table does not show. */
export interface MissingRows {
  readonly table: string;
  readonly rows: number;
  /** The indexes that agree on them. */
  readonly indexes: readonly string[];
}

const CANONICAL = ["sessions", "messages"];

/** One index that lists too much is a stale index; from two on, the table has lost something. */
const WITNESSES = 2;

/**
 * Looks for rows that several indexes of a table agree on and the table does not show: rows that sit on pages which
 * belong to nothing now. Building the indexes anew, or compacting the file, would erase the last trace of them, so such
 * a file is for recovery (REP-06).
 */
export function missingRows(connection: MaintenanceConnection): MissingRows[] {
  const rows = readSchemaRows(connection);
  const { indexes: rootless } = judgeRoots(connection, rows);
  return CANONICAL.flatMap((table) => {
    const candidates = rows.filter((row) => row.type === "index" && row.table === table && isFull(row));
    const witnesses = new Map<number, string[]>();
    for (const index of candidates.filter((row) => !rootless.includes(row))) {
      for (const rowid of surplus(connection, index)) {
        witnesses.set(rowid, [...(witnesses.get(rowid) ?? []), index.name]);
      }
    }
    const lost = [...witnesses.values()].filter((names) => names.length >= WITNESSES);
    if (lost.length === 0) return [];
    return [{ table, rows: lost.length, indexes: [...new Set(lost.flat())].sort() }];
  });
}

/** Lists every row of its table. */
function isFull({ sql }: SchemaRow): boolean {
  return sql === null || !/\bWHERE\b/i.test(sql);
}

/** Read inside out: the index drives, so that a row the table lacks is seen at all. */
function surplus(connection: MaintenanceConnection, { name, table }: SchemaRow): number[] {
  // The engine reads a rowid from the index alone; the table is asked for it by key.
  const rows = `SELECT rowid AS id FROM main.${quoted(table)} INDEXED BY ${quoted(name)}`;
  const lookup = `SELECT 1 FROM main.${quoted(table)} AS t NOT INDEXED WHERE t.rowid = i.id`;
  try {
    const found = connection.tuples<[number]>(`SELECT i.id FROM (${rows}) AS i WHERE NOT EXISTS (${lookup})`);
    return found.map(([id]) => id);
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    // An index that cannot be walked is no witness.
    return [];
  }
}

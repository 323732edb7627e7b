import type { MaintenanceConnection } from "@hermes/state-core";
import type { CheckFinding } from "../check/check-report.js";
import { engineTrouble } from "../check/engine-error.js";
import { isRowTable, quoted } from "../check/schema/schema-objects.js";
import { judgeRoots } from "./judge-roots.js";
import type { SchemaRow } from "./schema-rows.js";

/** Which indexes of the tables need treatment, and how. */
export interface DamagedIndexes {
  /** A check complained about them; their pages are their own. */
  readonly named: readonly SchemaRow[];
  /** They cannot be walked from end to end. */
  readonly broken: readonly SchemaRow[];
  /** They begin on a page that is not theirs, or on none: nothing may be written through them. */
  readonly rootless: readonly SchemaRow[];
}

const PARTIAL = /\bWHERE\b(.*)$/is;

/** Indexes of tables with rows; those of a search index are its own affair. */
export function ordinaryIndexes(rows: readonly SchemaRow[]): SchemaRow[] {
  const tables = new Set(rows.filter(isRowTable).map(({ name }) => name));
  return rows.filter(({ type, table }) => type === "index" && tables.has(table));
}

/** Sorts out the indexes that are damaged, as far as the last check and a walk through each can tell. */
export function damagedIndexes(
  connection: MaintenanceConnection,
  rows: readonly SchemaRow[],
  findings: readonly CheckFinding[],
): DamagedIndexes {
  const indexes = ordinaryIndexes(rows);
  const { indexes: badRoots } = judgeRoots(connection, rows);
  const sound = indexes.filter((row) => !badRoots.includes(row));
  const damage = findings.filter(({ severity, area }) => severity === "damage" && area !== "search-index");
  return {
    named: sound.filter(({ name }) => damage.some(({ object }) => object === name)),
    // A check that gave up half-way names a table, or the whole file.
    broken: damage.length === 0 ? [] : sound.filter((row) => !canWalk(connection, row)),
    rootless: indexes.filter((row) => badRoots.includes(row)),
  };
}

function canWalk(connection: MaintenanceConnection, { name, table, sql }: SchemaRow): boolean {
  const where = PARTIAL.exec(sql ?? "")?.[1];
  const condition = where === undefined ? "" : ` WHERE ${where}`;
  try {
    connection.get(
      `SELECT COUNT(i) AS n FROM (SELECT rowid AS i FROM main.${quoted(table)} INDEXED BY ${quoted(name)}${condition})`,
    );
    return true;
  } catch (error) {
    // A definition that makes no sense to the engine is judged elsewhere.
    return !(error instanceof Error) || engineTrouble(error) !== "damage" || !/malformed/i.test(error.message);
  }
}

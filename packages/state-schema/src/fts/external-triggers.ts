import type { FtsStatement } from "./fts-objects.js";
import { markerGateSql } from "./marker-gate.js";
import { FTS_TABLE, ftsTrigger } from "./names.js";

/** What differs between the sync triggers of external-content indexes. */
export interface ExternalShape {
  readonly half: "word" | "trigram";
  /** Columns of the index, and the expression that fills each from a `messages` row. */
  readonly columns: Readonly<Record<string, (row: string) => string>>;
  /** Which rows the index holds at all; undefined for every row. */
  readonly admits: ((row: string) => string) | undefined;
  /** Columns of `messages` whose change reaches the index (SCH-07). */
  readonly follows: readonly string[];
  /** False for files older than the backfill markers. */
  readonly gated: boolean;
}

/**
 * The three sync triggers of an external-content index. Each forgets and learns exactly the row's projection, because
 * such an index cannot look up what it stored.
 */
export function externalTriggers(shape: ExternalShape): readonly FtsStatement[] {
  const conditions = (row: string): string[] => [
    ...(shape.admits === undefined ? [] : [`(${shape.admits(row)})`]),
    ...(shape.gated ? [markerGateSql(row)] : []),
  ];
  const changed = shape.follows.map((name) => `old.${name} IS NOT new.${name}`).join(" OR ");
  const admitted = (row: string): string => (shape.admits === undefined ? "" : `\n    WHERE ${shape.admits(row)}`);
  return [
    trigger(shape, "insert", "AFTER INSERT", conditions("new"), [learn(shape, "new", "")]),
    trigger(shape, "delete", "AFTER DELETE", conditions("old"), [forget(shape, "old", "")]),
    trigger(
      shape,
      "update",
      `AFTER UPDATE OF ${shape.follows.join(", ")}`,
      [`(${changed})`, ...(shape.gated ? [markerGateSql("old")] : [])],
      [forget(shape, "old", admitted("old")), learn(shape, "new", admitted("new"))],
    ),
  ];
}

function trigger(
  shape: ExternalShape,
  event: "insert" | "delete" | "update",
  when: string,
  conditions: readonly string[],
  body: readonly string[],
): FtsStatement {
  const name = ftsTrigger(shape.half, event);
  const guard = conditions.length === 0 ? "" : `\n  WHEN ${conditions.join("\n  AND ")}`;
  const head = `CREATE TRIGGER IF NOT EXISTS ${name} ${when} ON messages${guard}`;
  const sql = `${head}\n  BEGIN\n    ${body.join("\n    ")}\n  END`;
  return { name, sql };
}

function learn(shape: ExternalShape, row: string, where: string): string {
  const values = Object.values(shape.columns).map((expression) => expression(row));
  return `INSERT INTO ${FTS_TABLE[shape.half]}(rowid, ${Object.keys(shape.columns).join(", ")})
    SELECT ${row}.id, ${values.join(", ")}${where};`;
}

function forget(shape: ExternalShape, row: string, where: string): string {
  const table = FTS_TABLE[shape.half];
  const values = Object.values(shape.columns).map((expression) => expression(row));
  return `INSERT INTO ${table}(${table}, rowid, ${Object.keys(shape.columns).join(", ")})
    SELECT 'delete', ${row}.id, ${values.join(", ")}${where};`;
}

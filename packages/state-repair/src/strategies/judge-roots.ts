import type { MaintenanceConnection } from "@hermes/state-core";
import { isRowTable } from "../check/schema/schema-objects.js";
import type { SchemaRow } from "./schema-rows.js";

const PAGES = "SELECT page_count AS n FROM pragma_page_count";

/** Objects whose root cannot be theirs. */
export interface BadRoots {
  /** Indexes: they can be made again from the rows. */
  readonly indexes: readonly SchemaRow[];
  /** Tables that show the rows of another one, or of nothing: only recovery can tell what was theirs. */
  readonly tables: readonly SchemaRow[];
}

/**
 * Finds roots that two objects share, or that lie outside of the file. Of an index and a table that share one, the
 * index is wrong; of two tables nobody can say which.
 */
export function judgeRoots(connection: MaintenanceConnection, rows: readonly SchemaRow[]): BadRoots {
  const pages = connection.get<{ n: number }>(PAGES)?.n ?? 0;
  const rooted = rows.filter(({ type, sql }) => type === "index" || (type === "table" && !isVirtual(sql)));
  const owners = new Map<number, SchemaRow[]>();
  for (const row of rooted) owners.set(row.root, [...(owners.get(row.root) ?? []), row]);
  const isBad = (row: SchemaRow): boolean => {
    const others = (owners.get(row.root) ?? []).filter((other) => other.type !== row.type || other.name !== row.name);
    if (typeof row.root !== "number" || row.root < 2 || row.root > pages) return true;
    return row.type === "index" ? others.length > 0 : others.some(({ type }) => type === "table");
  };
  return {
    indexes: rooted.filter((row) => row.type === "index" && isBad(row)),
    // An entry without a name, or without rows of its own, is no table: others remove it.
    tables: rooted.filter((row) => row.name !== "" && isRowTable({ ...row, root: 1 }) && isBad(row)),
  };
}

function isVirtual(sql: string | null): boolean {
  return /^CREATE\s+VIRTUAL/i.test(sql ?? "");
}

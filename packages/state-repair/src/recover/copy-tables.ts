import type { MaintenanceConnection } from "@hermes/state-core";
import { TABLES } from "@hermes/state-schema";
import type { Steps } from "../steps/run-steps.js";
import { COPY, copyStatements } from "./copy-statements.js";
import { type CopyResult, copyTable } from "./copy-table.js";
import { isDamage } from "./engine-damage.js";
import type { InspectedTable } from "./recovery-report.js";
import type { CopyTable } from "./settle-copy.js";
import { isForeignTable, outputColumns, shapeOutput } from "./shape-output.js";

/** What the copy through SQLite came to, by table; a text is why nothing of it could be copied. */
export type CopiedTables = ReadonlyMap<string, CopyResult | string>;

/** Tables in the order in which they are copied: what others refer to first, then what nobody here knows. */
function inCopyOrder(tables: ReadonlyMap<string, CopyTable>): readonly CopyTable[] {
  const known = Object.keys(TABLES).filter((name) => name !== TABLES.schema_version.name);
  const foreign = [...tables.keys()].filter(isForeignTable);
  return [...known, ...foreign].flatMap((name) => tables.get(name) ?? []);
}

function* copyOne(
  output: MaintenanceConnection,
  table: CopyTable,
  sound: boolean,
  chunkSize: number,
): Steps<CopyResult | string> {
  try {
    shapeOutput(output, table, sound);
    const columns = outputColumns(output, table.name);
    if (table.name === TABLES.state_meta.name && !["key", "value"].every((name) => table.columns.includes(name)))
      return "it has no columns key and value";
    return yield* copyTable(output, copyStatements(table, columns, !sound), chunkSize);
  } catch (error) {
    // A table of somebody else may be of a kind that cannot be made or read here; the others go on.
    if (!isDamage(error) && !isForeignTable(table.name)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Copies every table that SQLite can read, from the copy that it attaches for that time.
 *
 * @param inspected - What the census says; a table that is not sound gives only rows that show their identity.
 */
export function* copyTables(
  output: MaintenanceConnection,
  copy: string,
  tables: ReadonlyMap<string, CopyTable>,
  inspected: Readonly<Record<string, InspectedTable>>,
  chunkSize: number,
): Steps<CopiedTables> {
  const copied = new Map<string, CopyResult | string>();
  output.run(`ATTACH DATABASE ? AS ${COPY}`, [copy]);
  try {
    for (const table of inCopyOrder(tables)) {
      const sound = inspected[table.name]?.sound ?? true;
      copied.set(table.name, yield* copyOne(output, table, sound, chunkSize));
    }
  } finally {
    output.exec(`DETACH DATABASE ${COPY}`);
  }
  return copied;
}

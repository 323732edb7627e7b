import { META_KEYS } from "../meta-keys.js";
import { DISPLAY_TRIGGERS } from "../tables/display-triggers.js";
import { SCHEMA_VERSION } from "../tables/schema-version.js";
import type { ColumnModel, IndexModel, TableModel } from "../tables/table-model.js";
import { REQUIRED_TABLES } from "../tables/tables.js";
import { hasTable, type SchemaFacts } from "./schema-facts.js";

/** What a file lacks. */
export interface StructurePlan {
  readonly tables: readonly TableModel[];
  readonly columns: readonly { readonly table: TableModel; readonly column: ColumnModel }[];
  readonly indexes: readonly { readonly table: TableModel; readonly index: IndexModel }[];
  readonly displayTriggers: readonly string[];
  /** The file has no generation token. */
  readonly generation: boolean;
}

/** True when the file was stamped by a newer program (GND-01). */
export function isNewer(facts: SchemaFacts): boolean {
  return facts.version !== undefined && facts.version > SCHEMA_VERSION;
}

/**
 * Compares the file with the table model. Tables and columns have no version gate (SCH-02), because statements name
 * them; indexes, triggers and the token are left alone in a file of a newer program, which may have dropped them.
 */
export function planStructure(facts: SchemaFacts): StructurePlan {
  const newer = isNewer(facts);
  return {
    tables: REQUIRED_TABLES.filter((table) => !hasTable(facts, table.name)),
    columns: REQUIRED_TABLES.flatMap((table) => missingColumns(facts, table)),
    indexes: newer ? [] : REQUIRED_TABLES.flatMap((table) => missingIndexes(facts, table)),
    displayTriggers: newer ? [] : Object.keys(DISPLAY_TRIGGERS).filter((name) => !facts.objects.has(name)),
    generation: !newer && !facts.meta.has(META_KEYS.dbFileGeneration.key),
  };
}

/** True when nothing is lacking. */
export function isComplete(plan: StructurePlan): boolean {
  const { tables, columns, indexes, displayTriggers, generation } = plan;
  return !generation && tables.length + columns.length + indexes.length + displayTriggers.length === 0;
}

function missingColumns(facts: SchemaFacts, table: TableModel): StructurePlan["columns"] {
  const present = facts.columns.get(table.name);
  if (present === undefined) return [];
  return table.columns.filter((column) => !present.has(column.name)).map((column) => ({ table, column }));
}

/** Indexes that need healed data have their own step. */
function missingIndexes(facts: SchemaFacts, table: TableModel): StructurePlan["indexes"] {
  return table.indexes
    .filter((index) => index.stage !== "last" && !facts.objects.has(index.name))
    .map((index) => ({ table, index }));
}

import type { SqliteCapabilities } from "../fts/capabilities.js";
import { narrowTriggers, planNarrowing } from "../fts/narrow-triggers.js";
import { META_KEYS } from "../meta-keys.js";
import type { SchemaHost, Writer } from "../sql/handles.js";
import { setMetaOnce } from "../sql/set-meta.js";
import { DISPLAY_TRIGGERS } from "../tables/display-triggers.js";
import { renderColumn, renderIndex, renderTable } from "../tables/render-table.js";
import { completeFreshFile } from "./complete-fresh-file.js";
import { hasTable, readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import type { SchemaProblem } from "./schema-report.js";
import { isDuplicateColumn, isStatementError } from "./statement-error.js";
import { isComplete, isNewer, planStructure } from "./structure-plan.js";
import { applyTriggerSafety, planTriggerSafety } from "./trigger-safety.js";

/** What one run of {@link applyStructure} did. */
export interface StructureDone {
  readonly created: boolean;
  readonly addedTables: readonly string[];
  readonly addedColumns: readonly string[];
  readonly addedIndexes: readonly string[];
  readonly droppedTriggers: readonly string[];
  readonly cjkMarkedStale: boolean;
  readonly narrowedTriggers: readonly string[];
  readonly problems: readonly SchemaProblem[];
}

/** True when {@link applyStructure} would change the file. */
export function needsStructure(facts: SchemaFacts, capabilities: SqliteCapabilities): boolean {
  if (!isComplete(planStructure(facts))) return true;
  if (planTriggerSafety(facts, capabilities).drop.length > 0) return true;
  return !isNewer(facts) && planNarrowing(facts.fts, facts.layout).length > 0;
}

/**
 * Brings tables, columns, indexes and triggers to the newest shape in the caller's transaction. The file is read again
 * first: a sibling may have done it while this process waited. A file without `sessions` is completed here as a fresh
 * one, so a killed first open leaves either nothing or a whole store.
 */
export function applyStructure(w: Writer, host: SchemaHost, capabilities: SqliteCapabilities): StructureDone {
  const facts = readSchemaFacts(w);
  const plan = planStructure(facts);
  const safety = planTriggerSafety(facts, capabilities);
  const narrowed = isNewer(facts) || !capabilities.fts5 ? [] : planNarrowing(facts.fts, facts.layout);
  const created = !hasTable(facts, "sessions");
  const steps = new Steps();

  for (const table of plan.tables) w.exec(renderTable(table));
  applyTriggerSafety(w, safety);
  narrowTriggers(w, narrowed.filter(({ name }) => !safety.drop.includes(name)));
  const addedColumns = plan.columns.flatMap(({ table, column }) => {
    const name = `${table.name}.${column.name}`;
    const sql = `ALTER TABLE ${table.name} ADD COLUMN ${renderColumn(column)}`;
    return steps.attempt(`add column ${name}`, () => addColumn(w, sql)) ? [name] : [];
  });
  const addedIndexes = plan.indexes.flatMap(({ table, index }) =>
    steps.attempt(`create index ${index.name}`, () => w.exec(renderIndex(table, index))) ? [index.name] : [],
  );
  for (const name of plan.displayTriggers) {
    steps.attempt(`create trigger ${name}`, () => w.exec(DISPLAY_TRIGGERS[name] ?? ""));
  }
  if (plan.generation) setMetaOnce(w, META_KEYS.dbFileGeneration.key, host.randomHex(16));
  if (created) completeFreshFile(w, host, capabilities);
  return {
    created,
    addedTables: plan.tables.map(({ name }) => name),
    addedColumns,
    addedIndexes,
    droppedTriggers: safety.drop,
    cjkMarkedStale: safety.markCjkStale,
    narrowedTriggers: narrowed.map(({ name }) => name),
    problems: steps.problems,
  };
}

/** Statements of which one may fail without spoiling the others; what else goes wrong ends the transaction. */
class Steps {
  readonly problems: SchemaProblem[] = [];

  attempt(step: string, fn: () => void): boolean {
    try {
      fn();
      return true;
    } catch (error) {
      if (!isStatementError(error)) throw error;
      this.problems.push({ step, error });
      return false;
    }
  }
}

function addColumn(w: Writer, sql: string): void {
  try {
    w.exec(sql);
  } catch (error) {
    // A sibling won the race: the column is there, which is all that was wanted.
    if (!isDuplicateColumn(error)) throw error;
  }
}

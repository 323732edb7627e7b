import type { Writer } from "../../sql/handles.js";
import { renderIndex } from "../../tables/render-table.js";
import { TABLES } from "../../tables/tables.js";
import { hasTable, type SchemaFacts } from "../schema-facts.js";
import { isStatementError } from "../statement-error.js";

const TITLE_INDEX = "idx_sessions_title_unique";

const CLEAR_DUPLICATES = `
  UPDATE sessions SET title = NULL
  WHERE title IS NOT NULL
    AND rowid NOT IN (SELECT MAX(rowid) FROM sessions WHERE title IS NOT NULL GROUP BY title)`;

/** True when the file cannot promise unique titles yet. */
export function needsTitleIndex(facts: SchemaFacts): boolean {
  const { columns, objects } = facts;
  return hasTable(facts, "sessions") && columns.get("sessions")?.has("title") === true && !objects.has(TITLE_INDEX);
}

/**
 * Creates the unique index on titles. Where titles repeat, the newest row keeps its own and the others lose theirs
 * (SCH-03).
 *
 * @returns How many sessions lost a title.
 */
export function healTitleIndex(w: Writer): number {
  const index = TABLES.sessions.indexes.find(({ name }) => name === TITLE_INDEX);
  if (index === undefined) throw new Error(`the table model has no index ${TITLE_INDEX}`);
  const sql = renderIndex(TABLES.sessions, index);
  try {
    w.exec(sql);
    return 0;
  } catch (error) {
    if (!isStatementError(error)) throw error;
  }
  const { changes } = w.run(CLEAR_DUPLICATES);
  w.exec(sql);
  return changes;
}

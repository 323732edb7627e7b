import type { Reader, Writer } from "../../sql/handles.js";
import type { SchemaFacts } from "../schema-facts.js";

const FOUND = "SELECT EXISTS (SELECT 1 FROM messages WHERE active IS NULL) AS found";
const HEAL = "UPDATE messages SET active = 1 WHERE active IS NULL";

/** True when messages have no `active` at all: readers that ask for 1 would hide them. */
export function needsNullActiveHeal(r: Reader, facts: SchemaFacts): boolean {
  const column = facts.columns.get("messages")?.get("active");
  return column !== undefined && !column.notNull && r.get<{ found: number }>(FOUND)?.found === 1;
}

/**
 * Makes such messages live again (SCH-03).
 *
 * @returns How many there were.
 */
export function healNullActive(w: Writer): number {
  return w.run(HEAL).changes;
}

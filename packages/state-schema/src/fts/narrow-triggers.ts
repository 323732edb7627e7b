import type { Writer } from "../sql/handles.js";
import { TABLES } from "../tables/tables.js";
import type { FtsSchema } from "./fts-schema.js";
import type { FtsLayout } from "./index-state.js";
import { ftsTrigger } from "./names.js";

/** An update trigger to replace, and what replaces it. */
export interface NarrowedTrigger {
  readonly name: string;
  readonly sql: string;
}

const BROAD = /\bAFTER\s+UPDATE\s+ON\b/i;
const ROW_REFERENCE = /\b(?:new|old)\.["`[]?(\w+)/gi;
const KEYS: ReadonlySet<string> = new Set(["id", "session_id"]);

/**
 * Finds update triggers that fire on every column, and narrows each to the content columns it reads itself, so that its
 * body stays what the index was built by, whatever the layout (SCH-07). Files of mixed layout are left as they are.
 */
export function planNarrowing(schema: FtsSchema, layout: FtsLayout): readonly NarrowedTrigger[] {
  if (layout === "none" || layout === "mixed") return [];
  return (["word", "trigram"] as const).flatMap((half) => {
    const name = ftsTrigger(half, "update");
    const sql = schema.triggers.get(name);
    const columns = sql === undefined || !BROAD.test(sql) ? [] : columnsRead(sql);
    if (sql === undefined || columns.length === 0) return [];
    return [{ name, sql: sql.replace(BROAD, `AFTER UPDATE OF ${columns.join(", ")} ON`) }];
  });
}

/** Replaces the triggers, inside the caller's transaction. */
export function narrowTriggers(w: Writer, triggers: readonly NarrowedTrigger[]): void {
  for (const { name, sql } of triggers) {
    w.exec(`DROP TRIGGER ${name}`);
    w.exec(sql);
  }
}

function columnsRead(sql: string): readonly string[] {
  const read = new Set([...sql.matchAll(ROW_REFERENCE)].map((match) => (match[1] ?? "").toLowerCase()));
  return TABLES.messages.columns.map(({ name }) => name).filter((name) => read.has(name) && !KEYS.has(name));
}

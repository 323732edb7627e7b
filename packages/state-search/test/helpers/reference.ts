import type { StateStore } from "@hermes/state-core";
import { judge } from "../../src/judge/judge.js";
import { messageTexts } from "../../src/judge/message-texts.js";
import type { QueryNode } from "../../src/language/query.js";

/**
 * What the predicate says when it is asked about every visible row: the answer that every route must give.
 *
 * @param wholeToolOutput - As a search for the tool role reads it.
 */
export function judgedIds(store: StateStore, root: QueryNode, wholeToolOutput = false): number[] {
  interface Row {
    id: number;
    role: string;
    content: string | null;
    toolName: string | null;
    toolCalls: string | null;
  }
  const rows = store.read((r) =>
    r.all<Row>(`
      SELECT id, role, content, tool_name AS toolName, tool_calls AS toolCalls FROM messages
      WHERE (active = 1 OR active IS NULL OR compacted = 1) AND display_kind IS NOT 'hidden' ORDER BY id`),
  );
  return rows.filter((row) => judge(root, messageTexts(row, wholeToolOutput))).map((row) => row.id);
}

import type { FtsHalfObjects, FtsObjects } from "./fts-objects.js";
import { FTS_TABLE, ftsTrigger } from "./names.js";
import { inlineContentSql } from "./projection.js";

/** Layout 0: each index keeps its own copy of the text, one column, every row, no markers. */
export function inlineObjects(): FtsObjects {
  return { word: inlineHalf("word", ""), trigram: inlineHalf("trigram", ", tokenize='trigram'") };
}

function inlineHalf(half: "word" | "trigram", tokenizer: string): FtsHalfObjects {
  const table = FTS_TABLE[half];
  const learn = `INSERT INTO ${table}(rowid, content) VALUES (new.id, ${inlineContentSql("new")});`;
  const forget = `DELETE FROM ${table} WHERE rowid = old.id;`;
  const trigger = (event: "insert" | "delete" | "update", when: string, body: string) => {
    const name = ftsTrigger(half, event);
    return { name, sql: `CREATE TRIGGER IF NOT EXISTS ${name} ${when} ON messages BEGIN\n    ${body}\n  END` };
  };
  return {
    columns: ["content"],
    source: `(SELECT id, ${inlineContentSql("")} AS content FROM messages)`,
    table: { name: table, sql: `CREATE VIRTUAL TABLE IF NOT EXISTS ${table} USING fts5(content${tokenizer})` },
    views: [],
    triggers: [
      trigger("insert", "AFTER INSERT", learn),
      trigger("delete", "AFTER DELETE", forget),
      trigger("update", "AFTER UPDATE OF content, tool_name, tool_calls", `${forget}\n    ${learn}`),
    ],
  };
}

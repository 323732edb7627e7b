import { trigramAdmissionOfRowSql, trigramAdmissionSql } from "./admission.js";
import { externalTriggers, type ExternalShape } from "./external-triggers.js";
import type { FtsHalfObjects, FtsObjects, FtsStatement } from "./fts-objects.js";
import { FTS_SOURCE, FTS_TABLE } from "./names.js";
import { indexedContentSql } from "./projection.js";

const cell = (name: string) => (row: string) => `${row}.${name}`;
const WIDE = { content: cell("content"), tool_name: cell("tool_name"), tool_calls: cell("tool_calls") };
const notTool = (row: string): string => `${row}.role <> 'tool'`;

/** The oldest layout: external over `messages`, content only, no trigram index, no markers. */
export function contentOnlyObjects(): FtsObjects {
  const shape: ExternalShape = {
    half: "word",
    columns: { content: cell("content") },
    admits: undefined,
    follows: ["content"],
    gated: false,
  };
  return { word: half(shape, "messages", "", []), trigram: undefined };
}

/** Layouts 1 to 3: external, three columns, gated by the backfill markers. */
export function externalObjects(layout: 1 | 2 | 3): FtsObjects {
  return { word: layout === 3 ? viewWord() : plainWord(), trigram: layout === 1 ? wideTrigram() : narrowTrigram() };
}

function plainWord(): FtsHalfObjects {
  const follows = ["content", "tool_name", "tool_calls"];
  return half({ half: "word", columns: WIDE, admits: undefined, follows, gated: true }, "messages", "", []);
}

function viewWord(): FtsHalfObjects {
  const source = FTS_SOURCE.word;
  const view = `CREATE VIEW IF NOT EXISTS ${source} AS
  SELECT id, ${indexedContentSql("")} AS content, tool_name, tool_calls
  FROM messages`;
  return half(
    {
      half: "word",
      columns: { ...WIDE, content: indexedContentSql },
      admits: undefined,
      follows: ["content", "tool_name", "tool_calls", "role"],
      gated: true,
    },
    source,
    "",
    [{ name: source, sql: view }],
  );
}

function wideTrigram(): FtsHalfObjects {
  const source = FTS_SOURCE.trigram;
  const view = `CREATE VIEW IF NOT EXISTS ${source} AS
  SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool'`;
  const follows = ["content", "tool_name", "tool_calls", "role"];
  return half({ half: "trigram", columns: WIDE, admits: notTool, follows, gated: true }, source, TRIGRAM, [
    { name: source, sql: view },
  ]);
}

function narrowTrigram(): FtsHalfObjects {
  const source = FTS_SOURCE.trigram;
  const view = `CREATE VIEW IF NOT EXISTS ${source} AS
  SELECT m.id, m.role, m.content, m.tool_name
  FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
  WHERE ${trigramAdmissionSql("m", "s")}`;
  return half(
    {
      half: "trigram",
      columns: { content: cell("content"), tool_name: cell("tool_name") },
      admits: trigramAdmissionOfRowSql,
      follows: ["content", "tool_name", "role"],
      gated: true,
    },
    source,
    TRIGRAM,
    [{ name: source, sql: view }],
  );
}

const TRIGRAM = ", tokenize='trigram'";

function half(
  shape: ExternalShape,
  source: string,
  options: string,
  views: readonly FtsStatement[],
): FtsHalfObjects {
  const table = FTS_TABLE[shape.half];
  const columns = Object.keys(shape.columns);
  const content = `content='${source}', content_rowid='id'`;
  return {
    columns,
    source,
    table: {
      name: table,
      sql: `CREATE VIRTUAL TABLE IF NOT EXISTS ${table} USING fts5(\n  ${columns.join(", ")}, ${content}${options}\n)`,
    },
    views,
    triggers: externalTriggers(shape),
  };
}

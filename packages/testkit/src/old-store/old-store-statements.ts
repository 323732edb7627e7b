import { type OldFtsLayout, historicFtsLayout, historicFtsStatements } from "./historic-fts.js";
import { historicColumns, historicTableStatements } from "./historic-tables.js";

/** What an old store shall hold. */
export interface OldStoreOptions {
  /** Instead of the layout that new files of the version had. */
  readonly fts?: OldFtsLayout;
  /** Sessions `old-1`, `old-2`, ...; 2 when not given. */
  readonly sessions?: number;
  /** Messages in each; 5 when not given. */
  readonly messages?: number;
  /** Markers of a deferred index build: rows above `progress` up to `highWater` stay out of the index. */
  readonly pending?: { readonly progress: number; readonly highWater: number };
  /** Statements to run at the end. */
  readonly extra?: readonly string[];
}

/**
 * The statements that make an empty database into a store as the peer of a schema version left it.
 *
 * @param version - A schema version from 2 to 30.
 */
export function oldStoreStatements(version: number, options: OldStoreOptions = {}): string[] {
  const layout = options.fts ?? historicFtsLayout(version);
  return [
    ...historicTableStatements(version),
    `INSERT INTO schema_version (version) VALUES (${String(version)})`,
    ...metaStatements(version, layout, options),
    ...historicFtsStatements(layout),
    ...rowStatements(version, options),
    ...(options.extra ?? []),
  ];
}

function metaStatements(version: number, layout: OldFtsLayout, options: OldStoreOptions): string[] {
  if (historicColumns("state_meta", version).length === 0) return [];
  const meta: [string, string][] = [["fixture", `v${String(version)}`]];
  if (typeof layout === "number" && layout > 0) meta.push(["fts_storage_version", String(layout)]);
  if (options.pending !== undefined) {
    meta.push(["fts_rebuild_high_water", String(options.pending.highWater)]);
    meta.push(["fts_rebuild_progress", String(options.pending.progress)]);
  }
  return meta.map(([key, value]) => `INSERT INTO state_meta (key, value) VALUES (${quote(key)}, ${quote(value)})`);
}

function rowStatements(version: number, options: OldStoreOptions): string[] {
  const statements: string[] = [];
  for (let session = 1; session <= (options.sessions ?? 2); session++) {
    const id = `old-${String(session)}`;
    const messages = Array.from({ length: options.messages ?? 5 }, (_, index) => messageRow(session, index));
    statements.push(insert("sessions", version, sessionRow(id, session, messages)));
    statements.push(...messages.map((row) => insert("messages", version, { session_id: id, ...row })));
    if (historicColumns("session_model_usage", version).length > 0) {
      statements.push(insert("session_model_usage", version, usageRow(id, session)));
    }
  }
  return statements;
}

type Row = Readonly<Record<string, string | number | null>>;

/** As Python spells JSON: a space after each separator. */
const TOOL_CALLS = [
  '[{"id": "call-1", "type": "function", ',
  '"function": {"name": "grep_repo", "arguments": "{\\"path\\": \\"/srv/zebra.conf\\"}"}}]',
].join("");

function sessionRow(id: string, number: number, messages: readonly Row[]): Row {
  return {
    id,
    source: "cli",
    model: "model-a",
    system_prompt: "You are careful.",
    started_at: 1_700_000_000 + number * 1000,
    message_count: messages.length,
    tool_call_count: messages.filter((row) => row["tool_calls"] !== null).length,
    input_tokens: 100 * number,
    output_tokens: 10 * number,
    title: `Old session ${String(number)}`,
    cwd: "/srv/project",
    billing_provider: "provider-a",
    api_call_count: number,
  };
}

function usageRow(id: string, number: number): Row {
  const route = { model: "model-a", billing_provider: "provider-a" };
  return { session_id: id, ...route, api_call_count: number, input_tokens: 100 * number };
}

const TOOL_RESULT = { role: "tool", tool_call_id: "call-1", tool_name: "grep_repo" };
const ANSWER = { role: "assistant", finish_reason: "stop", reasoning: "hm" };

/** A cycle of four: a question in two scripts, a tool call, its result, an answer. */
function messageRow(session: number, index: number): Row {
  const common = { timestamp: 1_700_000_000 + session * 1000 + index, tool_calls: null };
  const number = `${String(session)}-${String(index)}`;
  switch (index % 4) {
    case 0:
      return { ...common, role: "user", content: `why is the deploy flaky ${number} 大别山项目进展` };
    case 1:
      return { ...common, role: "assistant", content: "", tool_calls: TOOL_CALLS, finish_reason: "tool_calls" };
    case 2:
      return { ...common, ...TOOL_RESULT, content: `quokka output ${number}` };
    default:
      return { ...common, ...ANSWER, content: `the disk is slow ${number}` };
  }
}

/** An INSERT of those values whose column the version has. */
function insert(table: string, version: number, row: Row): string {
  const columns = historicColumns(table, version).filter((column) => (row[column] ?? null) !== null);
  const values = columns.map((column) => quote(row[column]));
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.join(", ")})`;
}

function quote(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

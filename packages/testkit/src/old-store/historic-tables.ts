import { COLUMN_HISTORY } from "./column-history.js";

/** Column names of a table at a schema version, in declaration order; empty where the version lacks the table. */
export function historicColumns(table: string, version: number): string[] {
  const history = COLUMN_HISTORY[table];
  if (history === undefined || history.since > version) return [];
  return history.columns.filter((column) => column.since <= version).map((column) => column.name);
}

/** `CREATE TABLE` and `CREATE INDEX` statements of a schema version. */
export function historicTableStatements(version: number): string[] {
  const tables = Object.entries(COLUMN_HISTORY)
    .filter(([, table]) => table.since <= version)
    .map(([name, table]) => {
      const columns = table.columns.filter((column) => column.since <= version);
      const old = table.constraintBefore;
      const constraint = old !== undefined && version < old.version ? old.text : table.constraint;
      const lines = columns.map((column) => `${column.name} ${column.type}`);
      if (constraint !== undefined) lines.push(constraint);
      return `CREATE TABLE ${name} (\n  ${lines.join(",\n  ")}\n)`;
    });
  return [...tables, ...INDEXES.filter((index) => index.since <= version).map((index) => index.sql)];
}

const INDEXES: readonly { readonly since: number; readonly sql: string }[] = [
  { since: 1, sql: "CREATE INDEX idx_sessions_source ON sessions(source)" },
  { since: 1, sql: "CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)" },
  { since: 1, sql: "CREATE INDEX idx_sessions_started ON sessions(started_at DESC)" },
  { since: 1, sql: "CREATE INDEX idx_messages_session ON messages(session_id, timestamp)" },
  { since: 4, sql: "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL" },
  { since: 14, sql: "CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp)" },
  {
    since: 14,
    sql: `CREATE INDEX idx_messages_platform_msg_id ON messages(session_id, platform_message_id)
      WHERE platform_message_id IS NOT NULL`,
  },
  { since: 20, sql: "CREATE INDEX idx_sessions_session_key ON sessions(session_key, started_at DESC)" },
];

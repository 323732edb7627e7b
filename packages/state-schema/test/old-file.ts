import {
  columnsAt,
  createFtsObjects,
  renderIndex,
  renderTable,
  TABLES,
  type CreatableLayout,
  type SchemaHost,
  type TableModel,
  type Writer,
} from "../src/index.js";

/** What an old file looks like. */
export interface OldFileOptions {
  readonly version: number;
  readonly layout: CreatableLayout | "none";
  /** Update triggers fire on every column, as old writers left them. */
  readonly broad?: boolean;
}

/** A table as files of a version had it. */
export function tableAt(model: TableModel, version: number): TableModel {
  const columns = columnsAt(model, version);
  const names = new Set(columns.map(({ name }) => name));
  return {
    ...model,
    columns,
    primaryKey: model.primaryKey.filter((name) => names.has(name)),
    foreignKeys: model.foreignKeys.filter(({ column }) => names.has(column)),
  };
}

/** Builds an old file from the history of the table model. */
export function buildOldFile(host: SchemaHost, options: OldFileOptions): void {
  host.transaction("build an old file", (w) => {
    for (const model of Object.values(TABLES)) {
      const old = tableAt(model, options.version);
      if (old.columns.length === 0) continue;
      w.exec(renderTable(old));
      for (const index of old.indexes) if (index.stage === "base") w.exec(renderIndex(old, index));
    }
    w.run("INSERT INTO schema_version (version) VALUES (?)", [options.version]);
    if (options.layout !== "none") createFtsObjects(w, options.layout);
    if (options.broad === true) broadenTriggers(w);
  });
}

/** Makes every update trigger of the search index fire on all columns. */
export function broadenTriggers(w: Writer): void {
  const triggers = w.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%update'",
  );
  for (const { name, sql } of triggers) {
    w.exec(`DROP TRIGGER ${name}`);
    w.exec(sql.replace(/AFTER UPDATE OF [\w, ]+ ON/, "AFTER UPDATE ON"));
  }
}

/** A message of a test. */
export interface TestMessage {
  readonly role?: string;
  readonly content?: string | null;
  readonly toolName?: string | null;
  readonly toolCalls?: string | null;
}

/** Adds a session, with the columns every version has. */
export function addSession(w: Writer, id: string, cells: Readonly<Record<string, string | number | null>> = {}): void {
  insert(w, "sessions", { id, source: "cli", started_at: 1000, ...cells });
}

/** Adds a message, with the columns every version has. */
export function addMessage(w: Writer, session: string, message: TestMessage = {}): number {
  const { role = "user", content = "hello", toolName = null, toolCalls = null } = message;
  return insert(w, "messages", {
    session_id: session,
    role,
    content,
    tool_name: toolName,
    tool_calls: toolCalls,
    timestamp: 1000,
  });
}

/** Inserts one row. */
export function insert(w: Writer, table: string, cells: Readonly<Record<string, string | number | null>>): number {
  const names = Object.keys(cells);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return w.run(sql, Object.values(cells)).lastInsertRowid;
}

/** Runs one change in a transaction. */
export function change<T>(host: SchemaHost, fn: (w: Writer) => T): T {
  return host.transaction("change", fn);
}

/** A host on which something happens before the nth transaction of a label. */
export function beforeTransaction(host: SchemaHost, label: string, nth: number, happen: () => void): SchemaHost {
  let seen = 0;
  return {
    ...host,
    transaction: (given, fn) => {
      if (given === label) seen += 1;
      if (given === label && seen === nth) happen();
      return host.transaction(given, fn);
    },
  };
}

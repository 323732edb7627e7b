/** Search-index layouts a file of some age can carry; `mixed` is what a late jump over many versions left behind. */
export type OldFtsLayout = "none" | "content-only" | "mixed" | 0 | 1 | 2 | 3;

/** The layout that the peer gave to new files of a schema version. */
export function historicFtsLayout(version: number): OldFtsLayout {
  if (version < 11) return "content-only";
  if (version < 23) return 0;
  return version < 30 ? 1 : 3;
}

/** Statements that create a layout's tables, views and triggers. */
export function historicFtsStatements(layout: OldFtsLayout): string[] {
  switch (layout) {
    case "none":
      return [];
    case "content-only":
      return CONTENT_ONLY;
    case "mixed":
      // The program that mixed them had narrowed its update triggers before.
      return [...CONTENT_ONLY.slice(0, 3), ...inline("messages_fts_trigram", NARROW), inlineUpdate("messages_fts", NARROW)];
    case 0:
      return [...inline("messages_fts"), ...inline("messages_fts_trigram")];
    case 1:
      return layoutOne();
    case 2:
      return layoutTwo();
    case 3:
      return layoutThree();
  }
}

const CONTENT_ONLY = [
  "CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id)",
  `CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
     INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END`,
  `CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
     INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content); END`,
  `CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
     INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
     INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END`,
];

const JOINED = "COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')";

const NARROW = "OF content, tool_name, tool_calls ";

/** @param of - Restricts the update trigger to columns; the oldest fired on any change. */
function inline(table: string, of = ""): string[] {
  const tokenizer = table === "messages_fts" ? "" : ", tokenize='trigram'";
  return [
    `CREATE VIRTUAL TABLE ${table} USING fts5(content${tokenizer})`,
    `CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN
       INSERT INTO ${table}(rowid, content) VALUES (new.id, ${JOINED}); END`,
    `CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN DELETE FROM ${table} WHERE rowid = old.id; END`,
    inlineUpdate(table, of),
  ];
}

function inlineUpdate(table: string, of: string): string {
  return `CREATE TRIGGER ${table}_update AFTER UPDATE ${of}ON messages BEGIN
    DELETE FROM ${table} WHERE rowid = old.id;
    INSERT INTO ${table}(rowid, content) VALUES (new.id, ${JOINED}); END`;
}

/** The test of the deferred backfill: a row is indexed if and only if it lies outside (progress, high water]. */
function gate(row: "new" | "old"): string {
  const marker = (key: string): string =>
    `COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '${key}'), -1)`;
  return `(${row}.id > ${marker("fts_rebuild_high_water")} OR ${row}.id <= ${marker("fts_rebuild_progress")})`;
}

interface ExternalIndex {
  readonly table: string;
  readonly columns: readonly string[];
  /** What a row contributes. */
  readonly values: (row: "new" | "old") => readonly string[];
  /** Whether a row is admitted; undefined admits all. */
  readonly admits?: (row: "new" | "old") => string;
  /** Columns an update must touch to matter; undefined is the broad trigger of old files. */
  readonly updateOf?: string;
  readonly changed: readonly string[];
}

function externalTriggers(index: ExternalIndex): string[] {
  const { table } = index;
  const names = index.columns.join(", ");
  const admitted = (row: "new" | "old"): string => (index.admits === undefined ? "" : `${index.admits(row)} AND `);
  const where = (row: "new" | "old"): string => (index.admits === undefined ? "" : ` WHERE ${index.admits(row)}`);
  const add = `INSERT INTO ${table}(rowid, ${names}) SELECT new.id, ${index.values("new").join(", ")}`;
  const old = index.values("old").join(", ");
  const remove = `INSERT INTO ${table}(${table}, rowid, ${names}) SELECT 'delete', old.id, ${old}`;
  const update = index.updateOf === undefined ? "UPDATE" : `UPDATE OF ${index.updateOf}`;
  const changed = index.changed.map((column) => `old.${column} IS NOT new.${column}`).join(" OR ");
  return [
    `CREATE TRIGGER ${table}_insert AFTER INSERT ON messages
       WHEN ${admitted("new")}${gate("new")} BEGIN ${add}; END`,
    `CREATE TRIGGER ${table}_delete AFTER DELETE ON messages
       WHEN ${admitted("old")}${gate("old")} BEGIN ${remove}; END`,
    `CREATE TRIGGER ${table}_update AFTER ${update} ON messages
       WHEN (${changed}) AND ${gate("old")} BEGIN ${remove}${where("old")}; ${add}${where("new")}; END`,
  ];
}

const THREE = ["content", "tool_name", "tool_calls"];
const plain =
  (columns: readonly string[]) =>
  (row: "new" | "old"): string[] =>
    columns.map((column) => `${row}.${column}`);

function layoutOne(): string[] {
  return [
    `CREATE VIRTUAL TABLE messages_fts USING fts5(${THREE.join(", ")}, content='messages', content_rowid='id')`,
    ...externalTriggers({ table: "messages_fts", columns: THREE, values: plain(THREE), changed: THREE }),
    `CREATE VIEW messages_fts_trigram_src AS
       SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool'`,
    `CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(${THREE.join(", ")}, content='messages_fts_trigram_src',
       content_rowid='id', tokenize='trigram')`,
    ...externalTriggers({
      table: "messages_fts_trigram",
      columns: THREE,
      values: plain(THREE),
      admits: (row) => `${row}.role <> 'tool'`,
      changed: [...THREE, "role"],
    }),
  ];
}

function sessionAdmits(session: string): string {
  const config = `(CASE WHEN json_valid(${session}model_config) THEN ${session}model_config ELSE json_object() END)`;
  return `${session}source NOT IN ('cron', 'subagent') AND json_extract(${config}, '$._delegate_from') IS NULL`;
}

function shortTrigram(): string[] {
  return [
    `CREATE VIEW messages_fts_trigram_src AS SELECT m.id, m.role, m.content, m.tool_name FROM messages AS m
       JOIN sessions AS s ON s.id = m.session_id WHERE m.role <> 'tool' AND ${sessionAdmits("s.")}`,
    `CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tool_name, content='messages_fts_trigram_src',
       content_rowid='id', tokenize='trigram')`,
    ...externalTriggers({
      table: "messages_fts_trigram",
      columns: ["content", "tool_name"],
      values: plain(["content", "tool_name"]),
      admits: (row) =>
        `${row}.role <> 'tool'
         AND EXISTS (SELECT 1 FROM sessions WHERE id = ${row}.session_id AND ${sessionAdmits("")})`,
      updateOf: "content, tool_name, role",
      changed: ["content", "tool_name", "role"],
    }),
  ];
}

function layoutTwo(): string[] {
  return [
    `CREATE VIRTUAL TABLE messages_fts USING fts5(${THREE.join(", ")}, content='messages', content_rowid='id')`,
    ...externalTriggers({
      table: "messages_fts",
      columns: THREE,
      values: plain(THREE),
      updateOf: THREE.join(", "),
      changed: THREE,
    }),
    ...shortTrigram(),
  ];
}

function layoutThree(): string[] {
  const content = (row: string): string =>
    `CASE WHEN ${row}role = 'tool' THEN substr(COALESCE(${row}content, ''), 1, 8192) ELSE ${row}content END`;
  return [
    `CREATE VIEW messages_fts_src AS SELECT id, ${content("")} AS content, tool_name, tool_calls FROM messages`,
    `CREATE VIRTUAL TABLE messages_fts USING fts5(${THREE.join(", ")}, content='messages_fts_src', content_rowid='id')`,
    ...externalTriggers({
      table: "messages_fts",
      columns: THREE,
      values: (row) => [content(`${row}.`), `${row}.tool_name`, `${row}.tool_calls`],
      updateOf: "content, tool_name, tool_calls, role",
      changed: [...THREE, "role"],
    }),
    ...shortTrigram(),
  ];
}

import { META_KEYS, renderIndex, renderTable, TABLES } from "@hermes/state-schema";
import type { Reader, Writer } from "@hermes/state-schema";

const MODE = TABLES.telegram_dm_topic_mode;
const BINDINGS = TABLES.telegram_dm_topic_bindings;

/** Bindings go with their session since version 2. */
const VERSION = "2";

const SELECT_TABLE = "SELECT 1 AS present FROM main.sqlite_master WHERE type = 'table' AND name = ?";
const SELECT_RULE = `SELECT on_delete AS rule FROM pragma_foreign_key_list('${BINDINGS.name}')`;
const COLUMNS = BINDINGS.columns.map((column) => column.name).join(", ");
const COPY = `
  INSERT INTO ${BINDINGS.name} (${COLUMNS}) SELECT ${COLUMNS} FROM ${BINDINGS.name}_v1
  WHERE session_id IN (SELECT id FROM sessions)`;
const STAMP = `
  INSERT INTO state_meta (key, value) VALUES ('${META_KEYS.telegramTopicSchema.key}', '${VERSION}')
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Whether the file has the table; without it there are no topics and nothing to read. */
export function hasTopicTable(r: Reader, table: "mode" | "bindings"): boolean {
  return r.get(SELECT_TABLE, [(table === "mode" ? MODE : BINDINGS).name]) !== undefined;
}

function createBindings(w: Writer): void {
  w.exec(renderTable(BINDINGS));
  for (const index of BINDINGS.indexes) w.exec(renderIndex(BINDINGS, index));
}

/** Files of version 1 keep the binding of a session that is gone, and then the session cannot go. */
function rebuildBindings(w: Writer): void {
  for (const index of BINDINGS.indexes) w.exec(`DROP INDEX IF EXISTS ${index.name}`);
  w.exec(`ALTER TABLE ${BINDINGS.name} RENAME TO ${BINDINGS.name}_v1`);
  createBindings(w);
  w.run(COPY);
  w.exec(`DROP TABLE ${BINDINGS.name}_v1`);
}

/** Makes the tables of topics, or brings them up to date, inside the caller's transaction. */
export function ensureTopicTables(w: Writer): void {
  w.exec(renderTable(MODE));
  const rules = hasTopicTable(w, "bindings") ? w.all<{ rule: string }>(SELECT_RULE) : undefined;
  if (rules && !rules.some(({ rule }) => rule === "CASCADE")) rebuildBindings(w);
  else createBindings(w);
  w.run(STAMP);
}

import type { MaintenanceConnection } from "@hermes/state-core";
import { createFtsObjects, detectFtsLayout, DISPLAY_TRIGGERS } from "@hermes/state-schema";
import { isSearchIndexName } from "../check/schema/schema-objects.js";
import { bumpSchemaCookie, deleteSchemaRows, openSchema, readSchemaRows, reloadSchema } from "./schema-rows.js";
import type { SchemaRow } from "./schema-rows.js";
import type { Change, Strategy } from "./strategy.js";

const OBJECT_TYPES: ReadonlySet<string> = new Set(["table", "index", "view", "trigger"]);
const DEFINITION = /^\s*CREATE\s/i;

/** A schema with more broken triggers and views than this is not one that a repair understands. */
const LIMIT = 64;

/**
 * Removes entries of the schema that are no objects or stand there twice, keeping the first, and triggers and views
 * that cannot be read; those this product knows are made again. Nothing with rows of its own is touched.
 */
export const dedupSchema: Strategy = {
  name: "dedup_schema",
  diagnose({ connection }) {
    const problem = reloadSchema(connection);
    openSchema(connection);
    const rows = readSchemaRows(connection);
    const unwanted = [...doubles(rows), ...junk(rows)].map(({ row }) => row.name);
    const unreadable = rows.filter((row) => row.name === problem?.name && isText(row)).map(({ name }) => name);
    const names = [...unwanted, ...unreadable];
    return names.length === 0 ? undefined : names;
  },
  treat(connection) {
    openSchema(connection);
    const rows = readSchemaRows(connection);
    const changes = [...remove(connection, doubles(rows)), ...remove(connection, junk(rows))];
    changes.push(...removeUnreadable(connection));
    changes.push(...makeAgain(connection, changes));
    bumpSchemaCookie(connection);
    return { changes, leavesPages: false };
  },
};

/** Nothing but its definition: it owns no page. */
function isText({ type }: Pick<SchemaRow, "type">): boolean {
  return type === "view" || type === "trigger";
}

interface Unwanted {
  readonly row: SchemaRow;
  readonly why: string;
}

function doubles(rows: readonly SchemaRow[]): Unwanted[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const key = `${row.type} ${row.name}`;
    if (isJunk(row) || !seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ row, why: "Stood in the schema twice; the first entry is kept." }];
  });
}

function junk(rows: readonly SchemaRow[]): Unwanted[] {
  return rows.filter(isJunk).map((row) => ({ row, why: "An entry of the schema that is no object." }));
}

function isJunk({ type, name, sql }: SchemaRow): boolean {
  if (!OBJECT_TYPES.has(type) || typeof name !== "string" || name === "") return true;
  // A table or index whose text is garbage still owns pages: that is for others to judge.
  return isText({ type }) && !DEFINITION.test(sql ?? "");
}

function remove(connection: MaintenanceConnection, unwanted: readonly Unwanted[]): Change[] {
  deleteSchemaRows(
    connection,
    unwanted.map(({ row }) => row),
  );
  return unwanted.map(({ row, why }) => ({ kind: "removed", object: row.name || "(nameless)", detail: why }));
}

/** The engine names one unreadable object at a time. */
function removeUnreadable(connection: MaintenanceConnection): Change[] {
  const changes: Change[] = [];
  for (let round = 0; round < LIMIT; round++) {
    const problem = reloadSchema(connection);
    openSchema(connection);
    const found = readSchemaRows(connection).filter((row) => row.name === problem?.name && isText(row));
    if (problem === undefined || found.length === 0) break;
    const why = `Its definition could not be read: ${problem.reason}.`;
    changes.push(
      ...remove(
        connection,
        found.map((row) => ({ row, why })),
      ),
    );
  }
  return changes;
}

/** Makes known triggers and views again, once the schema can be read; what is still unreadable is for the next one. */
function makeAgain(connection: MaintenanceConnection, removed: readonly Change[]): Change[] {
  const problem = reloadSchema(connection);
  const names = new Set(removed.map(({ object }) => object));
  const before = new Set(readSchemaRows(connection).map(({ name }) => name));
  const gone = [...names].filter((name) => name !== "(nameless)" && !before.has(name));
  if (problem !== undefined) return gone.map(lost);
  for (const name of gone) {
    const sql = DISPLAY_TRIGGERS[name];
    if (sql !== undefined) connection.exec(sql);
  }
  if (gone.some(isSearchIndexName)) makeSearchObjects(connection, before);
  const after = new Set(readSchemaRows(connection).map(({ name }) => name));
  return gone.map((name) => (after.has(name) ? again(name) : lost(name)));
}

function makeSearchObjects(connection: MaintenanceConnection, present: ReadonlySet<string>): void {
  const layout = detectFtsLayout(connection);
  if (layout === "none" || layout === "mixed") return;
  createFtsObjects(connection, layout, { trigram: present.has("messages_fts_trigram") });
}

function again(name: string): Change {
  return { kind: "recreated", object: name, detail: "Made again as the table model has it." };
}

function lost(name: string): Change {
  return { kind: "lost", object: name, detail: "A trigger or view that this product does not know." };
}

import { StateError } from "@hermes/state-core";
import type { Reader, Writer } from "@hermes/state-schema";
import { CHILD_TABLES } from "../rows/entities.js";
import type { ChildEntity } from "../rows/entities.js";
import { quoteName } from "../rows/quote-name.js";
import { tableShape } from "../rows/table-shape.js";
import type { IncomingColumns } from "./import-reader.js";

/** The columns that rows of each kind can be written to; undefined where the store lacks the table. */
export type StoreColumns = Readonly<Partial<Record<"session" | ChildEntity, ReadonlySet<string>>>>;

const MAX_EXTRA_COLUMNS = 64;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const DECLARATION =
  /^(?:[A-Za-z][A-Za-z0-9 ]{0,30}?(?:\(\d+(?:, ?\d+)?\))?)?(?: ?NOT NULL)?(?: ?DEFAULT (?:NULL|-?\d+(?:\.\d+)?|'(?:[^']|'')*'))?$/i;

/** Names the table of each kind of row. */
export const TABLE_OF: Readonly<Record<"session" | ChildEntity, string>> = {
  session: "sessions",
  ...(Object.fromEntries(CHILD_TABLES.map((child) => [child.entity, child.table])) as Record<ChildEntity, string>),
};

/** Reads which columns this store has. */
export function storeColumns(r: Reader): StoreColumns {
  const columns: Partial<Record<"session" | ChildEntity, ReadonlySet<string>>> = {};
  for (const entity of ["session", ...CHILD_TABLES.map((child) => child.entity)] as const) {
    const shape = tableShape(r, entity === "session" ? "sessions" : tableNameOf(entity));
    if (shape) columns[entity] = new Set(shape.columns.map((column) => column.name));
  }
  return columns;
}

function tableNameOf(entity: ChildEntity): (typeof CHILD_TABLES)[number]["table"] {
  return CHILD_TABLES.find((child) => child.entity === entity)?.table ?? "messages";
}

/**
 * Adds the columns that the file's store had and this one lacks, as they were declared there: additive and without a
 * version gate, as every reader of the file format expects (POR-01, SCH-02).
 *
 * @returns What was added, as `table.column`.
 * @throws STATE_E_IMPORT_COLUMN when a declaration is more than a type, NOT NULL and a literal default.
 */
export function addIncomingColumns(w: Writer, incoming: IncomingColumns): string[] {
  const present = storeColumns(w);
  const added: string[] = [];
  for (const { entity, name, declaration } of missingColumns(incoming, present)) {
    const table = TABLE_OF[entity];
    checkDeclaration(table, name, declaration);
    if (added.length >= MAX_EXTRA_COLUMNS) throw tooMany(added.length);
    w.exec(`ALTER TABLE ${table} ADD COLUMN ${quoteName(name)} ${declaration}`);
    added.push(`${table}.${name}`);
  }
  return added;
}

/** What {@link addIncomingColumns} would add. */
export function missingColumns(
  incoming: IncomingColumns,
  present: StoreColumns,
): { entity: "session" | ChildEntity; name: string; declaration: string }[] {
  return Object.entries(incoming).flatMap(([kind, columns]) => {
    const entity = kind as "session" | ChildEntity;
    const known = present[entity];
    if (!known) return [];
    return Object.entries(columns)
      .filter(([name]) => !known.has(name))
      .map(([name, declaration]) => ({ entity, name, declaration }));
  });
}

function checkDeclaration(table: string, name: string, declaration: string): void {
  if (NAME.test(name) && DECLARATION.test(declaration)) return;
  throw new StateError(
    "STATE_E_IMPORT_COLUMN",
    `The file has a column ${table}.${name} that this store lacks, declared as ${JSON.stringify(declaration)}, ` +
      "which is not a declaration that can be added. Add the column by hand, or import into a store that has it.",
    { table, column: name, declaration },
  );
}

function tooMany(count: number): StateError {
  return new StateError(
    "STATE_E_IMPORT_COLUMN",
    `The file has more than ${count} columns that this store lacks. Check that it is an export of a session store.`,
    { limit: MAX_EXTRA_COLUMNS },
  );
}

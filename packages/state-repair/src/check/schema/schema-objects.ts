import type { Reader } from "@hermes/state-schema";

/** One row of the file's own table of objects. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table it belongs to; its own name for a table. */
  readonly table: string;
  readonly root: number;
  readonly sql: string | null;
}

const OBJECTS = `
  SELECT type, name, tbl_name AS "table", rootpage AS root, sql FROM main.sqlite_master ORDER BY rowid`;

/** Reads the objects of a file, in the order in which they stand in it. */
export function readObjects(r: Reader): SchemaObject[] {
  return r.all<SchemaObject & object>(OBJECTS);
}

/** Belongs to one of the search indexes: its table, one of its parts, a view or a trigger of it. */
export function isSearchIndexName(name: string): boolean {
  return name.startsWith("messages_fts") || name.startsWith("fts_v22_trash_");
}

/** A table with rows of its own in the file: no virtual table, and no part of a search index. */
export function isRowTable({ type, name, root, sql }: SchemaObject): boolean {
  return type === "table" && root > 0 && !isSearchIndexName(name) && !/^CREATE\s+VIRTUAL/i.test(sql ?? "");
}

/** A name as it may stand in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

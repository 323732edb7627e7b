import type { Reader } from "../sql/handles.js";
import { FTS_TRASH_PREFIX } from "./names.js";

/** Stored SQL of the objects that belong to the search index, by name. */
export interface FtsSchema {
  readonly tables: ReadonlyMap<string, string>;
  readonly views: ReadonlyMap<string, string>;
  readonly triggers: ReadonlyMap<string, string>;
  /** Tables that an interrupted upgrade has put aside. */
  readonly trash: readonly string[];
  /** The file has a `state_meta` table. */
  readonly meta: boolean;
}

/** One row of `sqlite_master`. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

const FTS_OBJECTS = `
  SELECT type, name, tbl_name AS "table", sql FROM sqlite_master
  WHERE name = 'state_meta' OR name LIKE 'messages\\_fts%' ESCAPE '\\'
    OR name LIKE 'fts\\_v22\\_trash\\_%' ESCAPE '\\'`;

/** Reads the stored SQL of the search index. */
export function readFtsSchema(r: Reader): FtsSchema {
  return ftsSchemaOf(r.all<SchemaObject>(FTS_OBJECTS));
}

/** Picks the objects of the search index out of `sqlite_master` rows. */
export function ftsSchemaOf(objects: Iterable<SchemaObject>): FtsSchema {
  const tables = new Map<string, string>();
  const views = new Map<string, string>();
  const triggers = new Map<string, string>();
  const trash: string[] = [];
  let meta = false;
  for (const { type, name, table, sql } of objects) {
    if (sql === null) continue;
    if (type === "trigger" && table === "messages") triggers.set(name, sql);
    else if (type === "view") views.set(name, sql);
    else if (type === "table" && name.startsWith(FTS_TRASH_PREFIX)) trash.push(name);
    else if (type === "table" && name === "state_meta") meta = true;
    else if (type === "table") tables.set(name, sql);
  }
  return { tables, views, triggers, trash, meta };
}

import { layoutOf } from "../fts/detect-fts-layout.js";
import { ftsSchemaOf, type FtsSchema, type SchemaObject } from "../fts/fts-schema.js";
import type { FtsLayout } from "../fts/index-state.js";
import { META_KEYS } from "../meta-keys.js";
import type { Reader, SqlValue } from "../sql/handles.js";
import { TABLES } from "../tables/tables.js";

/** What `PRAGMA table_info` says about a column. */
export interface ColumnFacts {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly default: string | null;
  /** Position in the primary key, from 1; 0 outside of it. */
  readonly key: number;
}

/** What a file looks like, read in a few statements; everything an open decides is decided from this. */
export interface SchemaFacts {
  /** Objects of the file by name. */
  readonly objects: ReadonlyMap<string, SchemaObject>;
  /** Columns of the known tables that exist, by table and column name. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, ColumnFacts>>;
  /** The version stamp; undefined when there is none. */
  readonly version: number | undefined;
  /** The keys of `state_meta` that an open looks at. */
  readonly meta: ReadonlyMap<string, string>;
  readonly fts: FtsSchema;
  readonly layout: FtsLayout;
}

const OBJECTS = `
  SELECT type, name, tbl_name AS "table", sql FROM sqlite_master`;

const KNOWN_TABLES = Object.keys(TABLES)
  .map((name) => `'${name}'`)
  .join(", ");

const COLUMNS = `
  SELECT m.name AS "table", c.name AS name, c.type AS type, c."notnull" AS "notNull", c.dflt_value AS "default",
    c.pk AS key
  FROM sqlite_master AS m JOIN pragma_table_info(m.name, 'main') AS c
  WHERE m.type = 'table' AND m.name IN (${KNOWN_TABLES})`;

const VERSION = "SELECT MAX(CAST(version AS INTEGER)) AS version FROM schema_version";

const META = `
  SELECT key, value FROM state_meta WHERE key IN (${[
    META_KEYS.ftsStale,
    META_KEYS.ftsCjkStale,
    META_KEYS.ftsRebuildHighWater,
    META_KEYS.ftsRebuildProgress,
    META_KEYS.ftsStorageVersion,
    META_KEYS.ftsOptimizeAvailable,
    META_KEYS.dbFileGeneration,
  ]
    .map(({ key }) => `'${key}'`)
    .join(", ")})`;

/** Reads the facts. Inside a transaction they stay true until its end. */
export function readSchemaFacts(r: Reader): SchemaFacts {
  const objects = new Map(r.all<SchemaObject>(OBJECTS).map((object) => [object.name, object]));
  const columns = readColumns(r);
  const fts = ftsSchemaOf(objects.values());
  return {
    objects,
    columns,
    version: columns.get("schema_version")?.has("version") === true ? readSchemaVersion(r) : undefined,
    meta: columns.get("state_meta")?.has("value") === true ? readMeta(r) : new Map(),
    fts,
    layout: layoutOf(fts),
  };
}

/** True when the file has a table of that name. */
export function hasTable(facts: SchemaFacts, name: string): boolean {
  return facts.objects.get(name)?.type === "table";
}

function readColumns(r: Reader): Map<string, Map<string, ColumnFacts>> {
  const tables = new Map<string, Map<string, ColumnFacts>>();
  for (const row of r.all<{ table: string; notNull: number } & Omit<ColumnFacts, "notNull">>(COLUMNS)) {
    const columns = tables.get(row.table) ?? new Map<string, ColumnFacts>();
    const { name, type, key } = row;
    columns.set(name, { name, type, key, default: row.default, notNull: row.notNull === 1 });
    tables.set(row.table, columns);
  }
  return tables;
}

/** The version stamp of a file; undefined when there is none. The file must have the table, or a view in its place. */
export function readSchemaVersion(r: Reader): number | undefined {
  return r.get<{ version: number | null }>(VERSION)?.version ?? undefined;
}

function readMeta(r: Reader): Map<string, string> {
  return new Map(r.all<{ key: string; value: SqlValue }>(META).map(({ key, value }) => [key, textOf(value)]));
}

function textOf(value: SqlValue): string {
  if (value === null) return "";
  return value instanceof Uint8Array ? "" : String(value);
}

import { createHash } from "node:crypto";
import { FTS_TRASH_PREFIX, type Reader } from "../src/index.js";

/** Which columns of which tables to hash. */
export type Shape = ReadonlyMap<string, readonly string[]>;

const TABLES = `
  SELECT m.name AS "table", c.name AS name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'messages_fts%' ORDER BY m.name, c.cid`;

/** Every table and column of a file, search index apart. */
export function shapeOf(r: Reader): Shape {
  const shape = new Map<string, string[]>();
  for (const { table, name } of r.all<{ table: string; name: string }>(TABLES)) {
    shape.set(table, [...(shape.get(table) ?? []), name]);
  }
  return shape;
}

/**
 * Hashes of every column of every row, by `table.column`: type and bytes of each cell
 * in a fixed order, with the number
 * of rows. Equal hashes mean that nothing was lost, changed or added.
 */
export function hashRows(r: Reader, shape: Shape): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const [table, columns] of shape) {
    const order = table.startsWith(FTS_TRASH_PREFIX) ? columns.map((column) => `"${column}"`).join(", ") : "rowid";
    for (const column of columns) {
      const hash = createHash("sha256");
      const cells = `SELECT typeof("${column}"), CAST("${column}" AS BLOB) FROM "${table}" ORDER BY ${order}`;
      const rows = r.tuples<[string, Uint8Array | null]>(cells);
      for (const [type, bytes] of rows) hash.update(`${type}:${bytes?.length ?? -1}:`).update(bytes ?? "");
      hashes[`${table}.${column}`] = `${rows.length}:${hash.digest("hex")}`;
    }
  }
  return hashes;
}

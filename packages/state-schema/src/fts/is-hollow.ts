import type { Reader } from "../sql/handles.js";

/** Segments stand behind a cookie of four bytes and the number of levels, which takes one; none is a NUL. */
const NO_SEGMENTS = "substr(block, 6, 1) IN (x'', x'00')";
/** Text that every tokenizer finds something in. */
const WORDS = "m.content GLOB '*[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9]*'";

/**
 * True when an index says that it holds no word although it holds messages with words. A structure record that was
 * overwritten with NUL reads so: the engine answers every question with nothing, and with no error (SEA-01, P01).
 *
 * @param table - The fts5 table; it must exist.
 */
export function isHollow(r: Reader, table: string): boolean {
  const sql = `
    SELECT EXISTS (SELECT 1 FROM ${table}_data WHERE id = 10 AND ${NO_SEGMENTS})
      AND EXISTS (
        SELECT 1 FROM ${table}_docsize AS size CROSS JOIN messages AS m ON m.id = size.id WHERE ${WORDS}
      ) AS hollow`;
  return r.get<{ hollow: number }>(sql)?.hollow === 1;
}

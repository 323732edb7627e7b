import type { SqlValue } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { quoted } from "../schema/schema-objects.js";

const CHUNK = 2_000;
const SAMPLE = 200;
const BEFORE_ALL = -9_223_372_036_854_775_808n;

interface Chunk {
  readonly n: number;
  readonly last: number | bigint | null;
}

/**
 * Reads rows of one table in the order of its own tree. A cast makes the engine fetch what it would otherwise skip: the
 * pages on which long values go on.
 */
export function* readTable(run: CheckRun, table: string): Steps<void> {
  const columns = columnsOf(run, table);
  if (columns.length === 0) return;
  const phase = `rows ${table}`;
  yield { phase, done: 0, total: undefined };
  let after: SqlValue = BEFORE_ALL;
  try {
    if (run.level !== "full") {
      run.r.get(chunkSql(table, columns, "ASC", SAMPLE), [BEFORE_ALL]);
      run.r.get(chunkSql(table, columns, "DESC", SAMPLE), [BEFORE_ALL]);
      return;
    }
    const sql = chunkSql(table, columns, "ASC", CHUNK);
    for (let done = 0; ;) {
      const chunk: Chunk | undefined = run.r.get<Chunk & object>(sql, [after]);
      if (!chunk || chunk.last === null) return;
      if (chunk.last <= after) throw new CircularTable();
      after = chunk.last;
      done += chunk.n;
      yield { phase, done, total: undefined };
      if (chunk.n < CHUNK) return;
    }
  } catch (error) {
    if (!(error instanceof CircularTable) && engineTrouble(error) !== "damage") throw error;
    const where = after === BEFORE_ALL ? "Rows" : `Rows after number ${after}`;
    run.add(finding("unreadable-rows", table, `${where} of ${table} cannot be read: ${messageOf(error)}.`));
  }
}

/** A damaged tree can lead in a circle. */
class CircularTable extends Error {
  override readonly message = "its order leads in a circle";
}

function columnsOf(run: CheckRun, table: string): string[] {
  const rows = run.r.all<{ name: string }>("SELECT name FROM pragma_table_info(?, 'main')", [table]);
  return rows.map(({ name }) => name);
}

function chunkSql(table: string, columns: readonly string[], order: "ASC" | "DESC", limit: number): string {
  const bytes = columns.map((name) => `coalesce(length(CAST(${quoted(name)} AS BLOB)), 0)`).join(" + ");
  return `SELECT count(1) AS n, max(place) AS last, total(bytes) AS bytes FROM (
    SELECT rowid AS place, ${bytes} AS bytes FROM main.${quoted(table)} NOT INDEXED
    WHERE rowid > ? ORDER BY rowid ${order} LIMIT ${limit})`;
}

import type { Reader, SqlValue } from "@hermes/state-schema";
import type { SearchableStore } from "../../src/index.js";

/** One statement that a search ran. */
export interface TracedStatement {
  readonly sql: string;
  readonly rows: number;
  /** Characters or bytes of the largest cell that came back. */
  readonly largestCell: number;
  readonly error: unknown;
}

/** A store that remembers what is read through it. */
export interface TracedStore extends SearchableStore {
  readonly statements: TracedStatement[];
}

function sizeOf(cell: SqlValue): number {
  return typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0;
}

function cellsOf(row: object): SqlValue[] {
  return Object.values(row) as SqlValue[];
}

/**
 * Wraps a store, so that a test can see every statement, every engine error and how much text was read.
 *
 * @param onStatement - Called before a statement runs.
 */
export function tracedStore(
  store: SearchableStore,
  onStatement: (sql: string, params: readonly SqlValue[]) => void = () => undefined,
): TracedStore {
  const statements: TracedStatement[] = [];
  function traced<T>(
    sql: string,
    params: readonly SqlValue[],
    run: () => T,
    cells: (answer: T) => SqlValue[][],
  ): T {
    onStatement(sql, params);
    try {
      const answer = run();
      const rows = cells(answer);
      const largestCell = Math.max(0, ...rows.map((row) => Math.max(0, ...row.map(sizeOf))));
      statements.push({ sql, rows: rows.length, largestCell, error: undefined });
      return answer;
    } catch (error) {
      statements.push({ sql, rows: 0, largestCell: 0, error });
      throw error;
    }
  }
  function wrap(r: Reader): Reader {
    return {
      all: (sql, params = []) => traced(sql, params, () => r.all(sql, params), (rows) => rows.map(cellsOf)),
      get: (sql, params = []) => traced(sql, params, () => r.get(sql, params), (row) => (row ? [cellsOf(row)] : [])),
      tuples: (sql, params = []) =>
        traced(sql, params, () => r.tuples(sql, params), (rows) => rows as unknown as SqlValue[][]),
    };
  }
  return { statements, info: () => store.info(), read: (fn) => store.read((r) => fn(wrap(r))) };
}

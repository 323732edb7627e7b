import type { SearchPlan } from "../plan/plan-search.js";
import type { SearchScope } from "./candidates.js";

/** In which order ids or moments come. */
export type Direction = "ASC" | "DESC";

/** Before the first id of an order. */
export function beforeAll(direction: Direction): number {
  return direction === "ASC" ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}

/** The ids that the indexes of a plan name, without any order of relevance. No message is read. */
export class NamedIds {
  readonly #scope: SearchScope;
  readonly #plan: Pick<SearchPlan, "index" | "side">;

  constructor(scope: SearchScope, plan: Pick<SearchPlan, "index" | "side">) {
    this.#scope = scope;
    this.#plan = plan;
  }

  /**
   * The ids that come next in an order.
   *
   * @returns At most `limit`; fewer only when there are no more.
   */
  next(direction: Direction, beyond: number, limit: number): readonly number[] {
    const ids = new Set([...this.#indexed(direction, beyond, limit), ...this.#beside(direction, beyond, limit)]);
    const sign = direction === "ASC" ? 1 : -1;
    return [...ids].sort((a, b) => sign * (a - b)).slice(0, limit);
  }

  #indexed(direction: Direction, beyond: number, limit: number): readonly number[] {
    const { index } = this.#plan;
    if (index === undefined) return [];
    const sign = direction === "ASC" ? ">" : "<";
    // Numbers are bound as REAL, and fts5 seeks a rowid only if it is an INTEGER: else each page reads all before it.
    const sql = `
      SELECT f.rowid FROM ${index.table} AS f WHERE f.${index.table} MATCH ? AND f.rowid ${sign} CAST(? AS INTEGER)
      ORDER BY f.rowid ${direction} LIMIT ?`;
    return this.#scope.r.tuples<[number]>(sql, [index.match, beyond, limit]).map(([id]) => id);
  }

  #beside(direction: Direction, beyond: number, limit: number): readonly number[] {
    const { side } = this.#plan;
    if (side === undefined || this.#scope.side === undefined) return [];
    return this.#scope.side.named(side.match, direction, beyond, limit);
  }
}

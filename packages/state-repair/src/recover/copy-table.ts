import type { MaintenanceConnection } from "@hermes/state-core";
import type { Steps } from "../steps/run-steps.js";
import type { CopyStatements } from "./copy-statements.js";
import { inChunk, isDamage } from "./engine-damage.js";
import { findBounds, type KeyBounds } from "./key-bounds.js";
import { SkippedRanges } from "./skipped-ranges.js";

const QUERY_LIMIT = 10_000;

/** What a copy by key ranges came to. */
export interface CopyResult {
  readonly copiedRows: number;
  readonly excludedRows: number;
  readonly rangeQueries: number;
  readonly exactLookupRecovered: number;
  readonly skipped: SkippedRanges;
  readonly queryLimitReached: boolean;
}

type Keys = { readonly last: number; readonly count: number; readonly counted: number } | undefined;

/** One table's copy, and what it has cost so far. Chunks shrink before damage and grow again behind it. */
class TableCopy implements CopyResult {
  copiedRows = 0;
  excludedRows = 0;
  rangeQueries = 0;
  exactLookupRecovered = 0;
  readonly skipped = new SkippedRanges();
  #limit: number;
  constructor(
    private readonly output: MaintenanceConnection,
    private readonly statements: CopyStatements,
    private readonly chunkSize: number,
    private readonly queryLimit: number,
  ) {
    this.#limit = chunkSize;
  }

  get queryLimitReached(): boolean {
    return this.rangeQueries >= this.queryLimit;
  }

  /** Copies the next rows of a range, or gets past what cannot be read; returns the key to go on with. */
  step({ low, high }: KeyBounds): number {
    const keys = this.#attempt(() => this.#nextKeys(low, high));
    if (keys instanceof Error) return this.#shrink() ? low : this.#jump(low, high, keys.message);
    if (keys === undefined) return high + 1;
    const copied = this.#attempt(() => this.#insert(this.statements.insert, [low, keys.last]));
    if (copied instanceof Error) {
      if (keys.count > 1) {
        this.#shrink();
        return low;
      }
      this.#copyOne(low, keys.last, copied.message);
    } else {
      this.#limit = Math.min(this.chunkSize, this.#limit * 2);
      this.copiedRows += copied;
      this.excludedRows += keys.counted - copied;
    }
    return keys.last + 1;
  }

  #attempt<T>(work: () => T): T | Error {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return error;
    }
  }

  #nextKeys(low: number, high: number): Keys {
    this.rangeQueries += 1;
    const sql = this.statements.next;
    type Found = { last: number | null; count: number; counted: number | null };
    const { last, count, counted } = this.output.get<Found>(sql, [low, high, this.#limit]) ?? { last: null, count: 0 };
    return last === null ? undefined : { last, count, counted: counted ?? 0 };
  }

  #insert(sql: string, params: readonly number[]): number {
    return inChunk(this.output, () => this.output.run(sql, params).changes);
  }

  #shrink(): boolean {
    if (this.#limit === 1) return false;
    this.#limit = Math.floor(this.#limit / 2);
    return true;
  }

  /** A range scan must step past its row; asking for the key alone need not, and may still get it. */
  #copyOne(low: number, key: number, error: string): void {
    const copied = this.#attempt(() => this.#insert(this.statements.insertOne, [key]));
    if (copied instanceof Error) this.skipped.add(low, key, error);
    else {
      this.copiedRows += copied;
      this.exactLookupRecovered += copied;
    }
  }

  #canReadFrom(key: number): boolean {
    this.rangeQueries += 1;
    return !(this.#attempt(() => this.output.get(this.statements.from, [key])) instanceof Error);
  }

  /** Finds where reading works again: doubling steps over the damage, then a bisection of the last of them. */
  #jump(low: number, high: number, error: string): number {
    let failing = low;
    let works = high + 1;
    for (let span = 1; low + span <= high && !this.queryLimitReached; span *= 2) {
      if (this.#canReadFrom(low + span)) {
        works = low + span;
        break;
      }
      failing = low + span;
    }
    while (works - failing > 1 && !this.queryLimitReached) {
      const middle = failing + Math.floor((works - failing) / 2);
      if (this.#canReadFrom(middle)) works = middle;
      else failing = middle;
    }
    this.skipped.add(low, works - 1, error);
    return works;
  }
}

/**
 * Copies a table from the attached copy by ranges of keys, each chunk in one transaction. What cannot be read is
 * bisected: down to single rows where a row is damaged, to the next page that can be read where a page is. The rest is
 * listed as skipped.
 *
 * @param chunkSize - Rows of one transaction.
 * @param queryLimit - Range queries after which the rest of the table is given up: 10,000.
 */
export function* copyTable(
  output: MaintenanceConnection,
  statements: CopyStatements,
  chunkSize: number,
  queryLimit: number = QUERY_LIMIT,
): Steps<CopyResult> {
  const copy = new TableCopy(output, statements, chunkSize, queryLimit);
  const { low, high } = findBounds(output, statements) ?? { low: 1, high: 0 };
  for (let at = low; at <= high; at = copy.step({ low: at, high })) {
    if (copy.queryLimitReached) {
      copy.skipped.add(at, high, "the limit of range queries was reached");
      break;
    }
    yield { phase: statements.table, done: copy.copiedRows, total: undefined };
  }
  return copy;
}

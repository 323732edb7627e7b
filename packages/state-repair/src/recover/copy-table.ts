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

/** One table's copy, and what it has cost so far. */
class TableCopy {
  copiedRows = 0;
  excludedRows = 0;
  rangeQueries = 0;
  exactLookupRecovered = 0;
  readonly skipped = new SkippedRanges();
  constructor(
    private readonly output: MaintenanceConnection,
    private readonly statements: CopyStatements,
    private readonly chunkSize: number,
  ) {}

  get queryLimitReached(): boolean {
    return this.rangeQueries >= QUERY_LIMIT;
  }

  /** Copies the first rows of a range; returns the key they end with, undefined when the range is empty. */
  copyNext({ low, high }: KeyBounds): number | undefined {
    this.rangeQueries += 1;
    const next = this.output.get<{ last: number | null; count: number | null }>(this.statements.next, [
      low,
      high,
      this.chunkSize,
    ]);
    const last = next?.last ?? undefined;
    if (last === undefined) return undefined;
    const { changes } = inChunk(this.output, () => this.output.run(this.statements.insert, [low, last]));
    this.copiedRows += changes;
    this.excludedRows += (next?.count ?? 0) - changes;
    return last;
  }

  /** A range scan must step past its row; asking for the key alone need not, and may still get it. */
  copyOne(key: number, error: string): void {
    try {
      const { changes } = inChunk(this.output, () => this.output.run(this.statements.insertOne, [key]));
      this.copiedRows += changes;
      this.exactLookupRecovered += changes;
    } catch (failure) {
      if (!isDamage(failure)) throw failure;
      this.skipped.add(key, key, error);
    }
  }
}

/** Splits a range that cannot be read in two; the lower half is on top, so that keys are met in order. */
function split(ranges: KeyBounds[], { low, high }: KeyBounds): void {
  const middle = low + Math.floor((high - low) / 2);
  ranges.push({ low: middle + 1, high }, { low, high: middle });
}

/**
 * Copies a table from the attached copy by ranges of keys, each chunk in one transaction. A range that cannot be read
 * is bisected down to single keys; what remains is listed as skipped.
 *
 * @param chunkSize - Rows of one transaction.
 */
export function* copyTable(
  output: MaintenanceConnection,
  statements: CopyStatements,
  chunkSize: number,
): Steps<CopyResult> {
  const copy = new TableCopy(output, statements, chunkSize);
  const bounds = findBounds(output, statements);
  const ranges: KeyBounds[] = bounds ? [bounds] : [];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    if (copy.queryLimitReached) {
      copy.skipped.add(range.low, range.high, "the limit of range queries was reached");
      continue;
    }
    try {
      const last = copy.copyNext(range);
      if (last !== undefined && last < range.high) ranges.push({ low: last + 1, high: range.high });
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (range.low === range.high) copy.copyOne(range.low, error.message);
      else split(ranges, range);
    }
    yield { phase: statements.table, done: copy.copiedRows, total: undefined };
  }
  return copy;
}

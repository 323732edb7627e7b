import type { SalvagedRow } from "../salvaged-row.js";
import type { TableSalvage } from "../salvage-report.js";

const MOST_PROBLEMS = 20;

/** Counts of one table while salvage runs. */
export class TableTally {
  tree = 0;
  page = 0;
  freed = 0;
  damagedRows = 0;
  refused = 0;
  duplicates = 0;
  superseded = 0;
  unrecognizedLayoutRows = 0;
  sound = false;
  readonly problems: string[] = [];

  count(row: SalvagedRow): void {
    this[row.origin] += 1;
    if (row.damaged.length > 0) this.damagedRows += 1;
    if (row.layout === "prefix") this.unrecognizedLayoutRows += 1;
  }

  addProblem(problem: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(problem);
  }

  report(): TableSalvage {
    const { tree, page, freed, damagedRows, refused, duplicates, superseded, unrecognizedLayoutRows } = this;
    const counts = { tree, page, freed, damagedRows, refused, duplicates, superseded, unrecognizedLayoutRows };
    return { ...counts, sound: this.sound, problems: [...this.problems] };
  }
}

/** Counts of all tables. */
export class SalvageTally {
  readonly #tables = new Map<string, TableTally>();
  unmapped = 0;

  of(table: string): TableTally {
    let tally = this.#tables.get(table);
    if (!tally) this.#tables.set(table, (tally = new TableTally()));
    return tally;
  }

  report(): Readonly<Record<string, TableSalvage>> {
    return Object.fromEntries([...this.#tables].map(([name, tally]) => [name, tally.report()]));
  }
}

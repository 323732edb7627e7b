import type { MaintenanceConnection } from "@hermes/state-core";
import type { SqlValue, TableModel } from "@hermes/state-schema";
import { modelOf } from "../salvage/layout/table-layout.js";
import { salvagePages } from "../salvage/salvage-pages.js";
import type { SalvagedRow } from "../salvage/salvaged-row.js";
import type { Steps } from "../steps/run-steps.js";
import { inChunk } from "./engine-damage.js";
import type { PartialRow } from "./recovery-report.js";
import { keepReadCells, withTime } from "./lost-cells.js";
import { createOptional } from "./shape-output.js";
import { cellsOf, keyOf, salvageStatements, type SalvageStatements } from "./salvage-statements.js";

/** What the pages of the copy added to one table. */
export interface FilledTable {
  added: number;
  /** Rows that SQLite had read with bytes that were overwritten. */
  corrected: number;
  partial: number;
  unrecognized: number;
}

/** What the pages of the copy added to the output. */
export interface FillResult {
  readonly tables: ReadonlyMap<string, FilledTable>;
  readonly partialRows: readonly PartialRow[];
}

const MOST_PARTIAL_ROWS = 1000;

/** Tables whose rows only the file's search index or its own life needs: the output has its own. */
const SKIPPED = new Set(["schema_version"]);

function isOwnMeta({ table, values }: SalvagedRow): boolean {
  if (table !== "state_meta") return false;
  const key = String(values["key"]);
  return key.startsWith("fts_") || key === "db_file_generation" || key === "telegram_dm_topic_schema_version";
}

/**
 * What SQLite read may be a damaged row that took the key of another. A row of a whole page settles that; so does one
 * of which the page shows that bytes of it were overwritten.
 */
function isBetter(
  { certain, origin, damaged }: SalvagedRow,
  cells: readonly SqlValue[],
  present: readonly SqlValue[],
): boolean {
  if (!certain && (origin !== "tree" || damaged.length === 0)) return false;
  return cells.some((cell, place) => !isSameCell(cell, present[place]));
}

function isSameCell(a: SqlValue, b: SqlValue | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b || (a === null && b === undefined);
}

class PageFill implements FillResult {
  readonly tables = new Map<string, FilledTable>();
  readonly partialRows: PartialRow[] = [];
  readonly #statements = new Map<string, SalvageStatements>();
  constructor(private readonly output: MaintenanceConnection) {}

  put(found: SalvagedRow): void {
    const model = modelOf(found.table);
    if (!model || SKIPPED.has(found.table) || isOwnMeta(found)) return;
    const filled = this.#of(found.table);
    const row = this.#write(model, found, filled);
    if (row) this.#note(row, filled);
  }

  /** @returns The row that the output now holds because of its page. */
  #write(model: TableModel, found: SalvagedRow, filled: FilledTable): SalvagedRow | undefined {
    const statements = this.#statementsOf(model);
    const [present] = this.output.tuples(statements.find, keyOf(model, found));
    const row = withTime(this.output, present ? keepReadCells(model, found, present) : found);
    const cells = cellsOf(model, row);
    if (present && !isBetter(row, cells, present)) return undefined;
    if (this.output.run(present ? statements.replace : statements.insert, cells).changes === 0) return undefined;
    if (present) filled.corrected += 1;
    else filled.added += 1;
    return row;
  }

  #note(row: SalvagedRow, filled: FilledTable): void {
    if (row.layout === "prefix") filled.unrecognized += 1;
    if (row.damaged.length === 0) return;
    filled.partial += 1;
    if (this.partialRows.length >= MOST_PARTIAL_ROWS) return;
    this.partialRows.push({ table: row.table, rowid: row.rowid, columns: row.damaged });
  }

  #statementsOf(model: TableModel): SalvageStatements {
    let statements = this.#statements.get(model.name);
    if (statements) return statements;
    // SQLite may not have seen the table at all.
    createOptional(this.output, model);
    this.#statements.set(model.name, (statements = salvageStatements(model)));
    return statements;
  }

  #of(table: string): FilledTable {
    let filled = this.tables.get(table);
    if (!filled) this.tables.set(table, (filled = { added: 0, corrected: 0, partial: 0, unrecognized: 0 }));
    return filled;
  }
}

/** Reads chunks of rows, so that one transaction holds so many. */
function* chunksOf(rows: Iterable<SalvagedRow>, size: number): Generator<readonly SalvagedRow[]> {
  let chunk: SalvagedRow[] = [];
  for (const row of rows) {
    if (chunk.push(row) < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * Adds to the output what SQLite could not reach, from the pages of the copy. A row that is there stays, unless its
 * page shows that bytes of it were overwritten.
 *
 * @param copy - Path of the copy; it must not be attached any more.
 * @param tables - The tables that are not whole.
 */
export function* fillFromPages(
  output: MaintenanceConnection,
  copy: string,
  tables: readonly string[],
  chunkSize: number,
): Steps<FillResult> {
  const fill = new PageFill(output);
  let rows = 0;
  for (const chunk of chunksOf(salvagePages(copy, { tables }), chunkSize)) {
    inChunk(output, () => {
      for (const row of chunk) fill.put(row);
    });
    rows += chunk.length;
    yield { phase: "salvage", done: rows, total: undefined };
  }
  return fill;
}

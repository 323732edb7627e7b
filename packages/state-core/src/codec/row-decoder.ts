import type { ColumnModel, SqlValue, TableModel } from "@hermes/state-schema";
import { readBytes, readInteger, readReal, readSeconds, readText } from "./cell-readers.js";
import type { CellReader } from "./cell-readers.js";

/** What the table model alone does not say about the rows of a table. */
export interface RowShape {
  /** Columns that never leave the store. */
  readonly omit?: readonly string[];
  /** Readers of columns that mean more than their type: flags, JSON. */
  readonly readers?: Readonly<Record<string, CellReader>>;
}

interface Cell {
  readonly key: string;
  readonly read: CellReader;
  /** What the reader makes of NULL; most cells are. */
  readonly ofNull: unknown;
}

const NONE: readonly string[] = Object.freeze([]);

function isMoment(column: ColumnModel): boolean {
  return column.type === "REAL" && !column.name.endsWith("_usd");
}

/**
 * The key of a column in a row object: camelCase, and `...Seconds` where it holds a moment.
 *
 * @example
 * ```ts
 * rowKey(startedAtColumn); // "startedAtSeconds"
 * ```
 */
export function rowKey(column: ColumnModel): string {
  const camel = column.name.replace(/^_/, "").replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return isMoment(column) ? `${camel}Seconds` : camel;
}

function readerOf(column: ColumnModel): CellReader {
  switch (column.type) {
    case "TEXT":
      return readText;
    case "INTEGER":
      return readInteger;
    case "REAL":
      return isMoment(column) ? readSeconds : readReal;
    case "BLOB":
      return readBytes;
  }
}

/**
 * Turns rows of one table into objects, by the table model (SCH-01): keys, types and times come from it, so a new
 * column is read without a new line of code. A damaged cell becomes undefined and is named in the row's `damaged`
 * list.
 */
export class RowDecoder<T extends { readonly damaged: readonly string[] }> {
  /** Column names in the order {@link RowDecoder.decode} expects the cells. */
  readonly columns: readonly string[];
  readonly #cells: readonly Cell[];

  constructor(model: TableModel, shape: RowShape = {}) {
    const kept = model.columns.filter((column) => !shape.omit?.includes(column.name));
    this.columns = kept.map((column) => column.name);
    this.#cells = kept.map((column) => {
      const read = shape.readers?.[column.name] ?? readerOf(column);
      return { key: rowKey(column), read, ofNull: read(null, () => undefined) };
    });
  }

  /** The keys of a row, in column order. */
  get keys(): readonly string[] {
    return this.#cells.map((cell) => cell.key);
  }

  /** The columns as a SELECT lists them, under a table alias. */
  select(alias: string): string {
    return this.columns.map((column) => `${alias}.${column}`).join(", ");
  }

  /**
   * Decodes one row.
   *
   * @param cells - Cells in the order of {@link RowDecoder.columns}; what follows them is left alone.
   */
  decode(cells: readonly SqlValue[]): T {
    const row: Record<string, unknown> = {};
    let damaged: string[] | undefined;
    let key = "";
    const note = (): void => {
      (damaged ??= []).push(key);
    };
    let index = 0;
    for (const column of this.#cells) {
      const cell = cells[index++] ?? null;
      key = column.key;
      row[key] = cell === null ? column.ofNull : column.read(cell, note);
    }
    row["damaged"] = damaged ?? NONE;
    return row as unknown as T;
  }
}

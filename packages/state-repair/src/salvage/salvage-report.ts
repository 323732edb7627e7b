/** What salvage found of one table. */
export interface TableSalvage {
  /** Rows found in the table's own tree, in pages without an owner, and in free pages. */
  readonly tree: number;
  readonly page: number;
  readonly freed: number;
  /** Rows of which a cell could be read only in part. */
  readonly damagedRows: number;
  /** Records that were in the table's pages and are no row of it. */
  readonly refused: number;
  /** Rows left out because a row with the same id came first. */
  readonly duplicates: number;
  /** Rows left out because an intact part of the tree says that they are not alive. */
  readonly superseded: number;
  /** Rows whose layout is not known: only their first fields were taken. */
  readonly unrecognizedLayoutRows: number;
  /** The whole tree was there and in order: what was found is all there is. */
  readonly sound: boolean;
  /** The first things that were wrong with the tree. */
  readonly problems: readonly string[];
}

/** What salvage found out about a file. */
export interface SalvageReport {
  readonly pageSize: number;
  readonly pageCount: number;
  readonly encoding: string;
  /** False when the header is damaged: page size, reserved bytes or encoding are not what it says. */
  readonly headerSound: boolean;
  /** True when the file's schema could be read, in whole. */
  readonly schemaRead: boolean;
  readonly freelistPages: number;
  /** False when free pages could not be told from pages in use by the freelist alone. */
  readonly freelistComplete: boolean;
  readonly walPages: number;
  /** Records that look like rows of no known table, in pages without an owner. */
  readonly unmapped: number;
  readonly tables: Readonly<Record<string, TableSalvage>>;
}

/** Declared type of a column; it decides the affinity of what is stored. */
export type ColumnType = "TEXT" | "INTEGER" | "REAL" | "BLOB";

/** One column of a table. */
export interface ColumnModel {
  readonly name: string;
  readonly type: ColumnType;
  readonly notNull: boolean;
  /** Default of the DDL; undefined when the DDL names none, so that an omitted cell is NULL. */
  readonly default: string | number | undefined;
  /**
   * The schema_version whose files first had the column. A fraction orders additions made between two versions:
   * 30.1 came after version 30 was stamped and before 31.
   */
  readonly since: number;
  /** What the cell means, where the name does not say it. Shown in docs/file-format.md. */
  readonly about: string | undefined;
}

/** A reference from one column to another table. */
export interface ForeignKeyModel {
  readonly column: string;
  readonly table: string;
  readonly references: string;
  readonly onDelete: "CASCADE" | undefined;
}

/**
 * When an index can be created: `base` needs only columns of the first version of its table, `deferred` needs columns
 * that an old file gets first, `last` needs healed data.
 */
export type IndexStage = "base" | "deferred" | "last";

/** One index of a table. */
export interface IndexModel {
  readonly name: string;
  /** Indexed columns or expressions, as DDL. */
  readonly on: string;
  readonly where: string | undefined;
  readonly unique: boolean;
  readonly stage: IndexStage;
}

/**
 * One table of the file: the single source of its DDL, column reconciliation, read probes, salvage layouts and
 * documentation (SCH-01).
 */
export interface TableModel {
  readonly name: string;
  /** One sentence for docs/file-format.md. */
  readonly about: string;
  /** In the order of a fresh file. An upgraded file has later columns at its end: never rely on position. */
  readonly columns: readonly ColumnModel[];
  readonly primaryKey: readonly string[];
  /** The key is an integer that is never given twice. */
  readonly autoincrement: boolean;
  readonly foreignKeys: readonly ForeignKeyModel[];
  readonly indexes: readonly IndexModel[];
  /** `always`: every file has it. `opt-in`: made on explicit request only; an open never creates it. */
  readonly presence: "always" | "opt-in";
}

import type { SqlValue } from "@hermes/state-schema";
import type { LayoutOrigin } from "./layout/table-layout.js";

/**
 * Where a row was found: `tree`, in the table's b-tree; `page`, in a page that no intact part of a tree refers to;
 * `freed`, in a page of the freelist, so it was deleted.
 */
export type RowOrigin = "tree" | "page" | "freed";

/** A row that was read from the pages of a damaged file. */
export interface SalvagedRow {
  readonly table: string;
  readonly rowid: number;
  /** Number of the page it was found in. */
  readonly page: number;
  readonly origin: RowOrigin;
  /** How its fields were named; `prefix` names only the first of them. */
  readonly layout: LayoutOrigin;
  /** Cells by column name. */
  readonly values: Readonly<Record<string, SqlValue | undefined>>;
  /** Its page is whole and where its table's tree says it must be. */
  readonly certain: boolean;
  /** Columns of which only a part, or nothing, could be read. */
  readonly damaged: readonly string[];
}

import type { SqlValue, Writer } from "@hermes/state-schema";
import type { ChildEntity } from "../rows/entities.js";
import { RUNTIME_COLUMNS } from "../rows/entities.js";
import { quoteName } from "../rows/quote-name.js";
import { RawText } from "../rows/raw-row.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { TABLE_OF } from "./store-columns.js";
import type { StoreColumns } from "./store-columns.js";

/** Writes one row with the columns that this store has; runtime columns of a session stay at their defaults. */
export function insertRow(w: Writer, columns: StoreColumns, entity: "session" | ChildEntity, row: RawRow): void {
  const known = columns[entity];
  const cells = Object.entries(row).filter(
    ([name]) => known?.has(name) && !(entity === "session" && RUNTIME_COLUMNS.has(name)),
  );
  const names = cells.map(([name]) => quoteName(name)).join(", ");
  const places = cells.map(([, cell]) => (cell instanceof RawText ? "CAST(? AS TEXT)" : "?")).join(", ");
  w.run(
    `INSERT INTO ${TABLE_OF[entity]} (${names}) VALUES (${places})`,
    cells.map(([, cell]) => bound(cell)),
  );
}

function bound(cell: Cell): SqlValue {
  return cell instanceof RawText ? cell.bytes : cell;
}

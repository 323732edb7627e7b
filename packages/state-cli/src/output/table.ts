import Table from "cli-table3";
import type { Output } from "./output.js";
import { sanitizeLine } from "./sanitize.js";
import { textWidth, truncate } from "./text-width.js";

/** One column of a table. */
export interface TableColumn {
  readonly title: string;
  /** Give up width for others, down to this many columns. */
  readonly shrinkTo?: number;
  readonly align?: "left" | "right";
}

const GAP = 2;
const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
} as const;

/** Narrows the columns that may shrink, widest first, until the row fits. */
function fitWidths(columns: readonly TableColumn[], widths: number[], available: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width + GAP, 0) - GAP;
  while (total() > available) {
    let widest = -1;
    columns.forEach((column, index) => {
      const room = (widths[index] ?? 0) - (column.shrinkTo ?? Infinity);
      if (room > 0 && (widest < 0 || (widths[index] ?? 0) > (widths[widest] ?? 0))) widest = index;
    });
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/**
 * Draws rows for people, as wide as the terminal allows. Cells may hold stored text: they are sanitised here.
 */
export function renderTable(
  output: Output,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string {
  const cells = rows.map((row) => row.map(sanitizeLine));
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.title), ...cells.map((row) => textWidth(row[index] ?? ""))),
  );
  fitWidths(columns, widths, output.columns);
  const table = new Table({
    head: columns.map((column) => output.colors.dim(column.title)),
    colAligns: columns.map((column) => column.align ?? "left"),
    chars: NO_LINES,
    style: { "padding-left": 0, "padding-right": GAP, head: [], border: [], compact: true },
  });
  for (const row of cells) table.push(row.map((cell, index) => truncate(cell, Math.max(1, widths[index] ?? 1))));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

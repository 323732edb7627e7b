/** A plain table: the first column to the left, the others to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(pad).join("  ")).join("\n");
}

/** Microseconds as a person reads them. */
export function formatTime(us: number | undefined): string {
  if (us === undefined) return "-";
  return us >= 1_000 ? `${(us / 1_000).toFixed(2)} ms` : `${us.toFixed(0)} us`;
}

import type { Result } from "../measure/result.js";

const HEADINGS = ["trial", "per", "store CPU", "store wall", "engine CPU", "ratio", "goal"];

function time(us: number | undefined): string {
  if (us === undefined) return "-";
  return us >= 1_000 ? `${(us / 1_000).toFixed(2)} ms` : `${us.toFixed(0)} us`;
}

function goalText({ goal }: Result): string {
  if (goal?.ratio !== undefined) return `<= ${goal.ratio.toFixed(2)}x`;
  return goal?.cpuMs === undefined ? "" : `<= ${goal.cpuMs} ms CPU`;
}

function cells(result: Result): readonly string[] {
  return [
    result.name,
    result.unit,
    time(result.storeCpuUs),
    time(result.storeWallUs),
    time(result.engineCpuUs),
    result.cpuRatio === undefined ? "-" : `${result.cpuRatio.toFixed(2)}x`,
    goalText(result),
  ];
}

/** A plain table: medians per operation, and beside them what the design asks for. */
export function formatResults(results: readonly Result[]): string {
  const rows = [HEADINGS, ...results.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(pad).join("  ")).join("\n");
}

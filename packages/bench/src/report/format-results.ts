import type { Result } from "../measure/result.js";
import { formatTable, formatTime } from "./format-table.js";

const HEADINGS = ["trial", "per", "store CPU", "store wall", "engine CPU", "ratio", "goal"];

function goalText({ goal }: Result): string {
  if (goal?.ratio !== undefined) return `<= ${goal.ratio.toFixed(2)}x`;
  return goal?.cpuMs === undefined ? "" : `<= ${goal.cpuMs} ms CPU`;
}

function cells(result: Result): readonly string[] {
  return [
    result.name,
    result.unit,
    formatTime(result.storeCpuUs),
    formatTime(result.storeWallUs),
    formatTime(result.engineCpuUs),
    result.cpuRatio === undefined ? "-" : `${result.cpuRatio.toFixed(2)}x`,
    goalText(result),
  ];
}

/** A plain table: medians per operation, and beside them what the design asks for. */
export function formatResults(results: readonly Result[]): string {
  return formatTable([HEADINGS, ...results.map(cells)]);
}

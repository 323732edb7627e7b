import type { LatencyResult, Spread } from "../measure/latency.js";
import { formatTable, formatTime } from "./format-table.js";

const HEADINGS = ["search", "queries", "store p50", "p95", "CPU p95", "floor p50", "p95", "CPU p95", "ratio", "goal"];

function wallAndCpu(wall: Spread, cpu: Spread): readonly string[] {
  return [formatTime(wall.p50Us), formatTime(wall.p95Us), formatTime(cpu.p95Us)];
}

function cells(result: LatencyResult): readonly string[] {
  return [
    `${result.name} (floor: ${result.floorName})`,
    String(result.queries),
    ...wallAndCpu(result.storeWall, result.storeCpu),
    ...wallAndCpu(result.floorWall, result.floorCpu),
    `${result.ratio.toFixed(2)}x`,
    result.goal === undefined ? "" : `<= ${result.goal.toFixed(2)}x`,
  ];
}

/** A plain table: each question by itself, the middle one and the one that only one in twenty is slower than. */
export function formatLatencies(results: readonly LatencyResult[]): string {
  return formatTable([HEADINGS, ...results.map(cells)]);
}

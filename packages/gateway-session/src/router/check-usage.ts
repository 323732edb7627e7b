import { checkKnownOptions } from "@hermes/state-core";
import type { RoutingEntry } from "../entry/routing-entry.js";

const ADDED = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "totalTokens"] as const;

/** What a turn used. Absent counts are zero. */
export interface RouteUsage extends Partial<Readonly<Record<(typeof ADDED)[number], number>>> {
  /** The size of the last prompt; it takes the place of the one before. */
  readonly lastPromptTokens?: number;
  readonly estimatedCostUsd?: number;
  /** How sure the cost is: it takes the place of the one before. */
  readonly costStatus?: string;
}

function checkCount(what: string, name: string, value: unknown): void {
  if (typeof value !== "number") throw new TypeError(`${what}: ${name} must be a number, not ${typeof value}.`);
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`${what}: ${name} must not be ${value}.`);
}

/**
 * Checks what a turn used.
 *
 * @returns A change that adds it to a route.
 * @throws TypeError for an unknown key or a wrong type, RangeError for a negative or broken number.
 */
export function checkUsage(what: string, usage: RouteUsage): (entry: RoutingEntry) => RoutingEntry {
  checkKnownOptions(what, usage, [...ADDED, "lastPromptTokens", "estimatedCostUsd", "costStatus"]);
  const { costStatus, ...counts } = usage;
  for (const [name, value] of Object.entries(counts) as [string, unknown][]) {
    if (value !== undefined) checkCount(what, name, value);
  }
  if (costStatus !== undefined && typeof costStatus !== "string") {
    throw new TypeError(`${what}: costStatus must be a string, not ${typeof costStatus}.`);
  }
  return (entry) => ({
    ...entry,
    ...Object.fromEntries(ADDED.map((name) => [name, entry[name] + (usage[name] ?? 0)])),
    lastPromptTokens: usage.lastPromptTokens ?? entry.lastPromptTokens,
    estimatedCostUsd: entry.estimatedCostUsd + (usage.estimatedCostUsd ?? 0),
    costStatus: costStatus ?? entry.costStatus,
  });
}

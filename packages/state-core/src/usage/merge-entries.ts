import { hasUsage } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";

/** Adds two amounts of which either may be unknown: unknown and unknown stay unknown (COR-32). */
function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

function sameTexts(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.every((text, index) => text === b[index]);
}

function mergeable(a: UsageEntry, b: UsageEntry): boolean {
  return (
    a.kind === b.kind &&
    a.kind !== "absolute" &&
    a.sessionId === b.sessionId &&
    a.task === b.task &&
    a.source === b.source &&
    sameTexts(a.route, b.route) &&
    sameTexts(a.terms, b.terms) &&
    // An entry without usage says nothing about the route, so it must not borrow the other one's.
    hasUsage(a) === hasUsage(b)
  );
}

/**
 * Two records of the same session, task, route and terms as one; undefined when they differ in any of it, and for
 * absolute ones, of which each stands for itself.
 */
export function mergeEntries(a: UsageEntry, b: UsageEntry): UsageEntry | undefined {
  if (!mergeable(a, b)) return undefined;
  return {
    ...a,
    counters: a.counters.map((count, index) => plus(count, b.counters[index] ?? null)),
    costs: [plus(a.costs[0], b.costs[0]), plus(a.costs[1], b.costs[1])],
  };
}

import type { MaintenanceConnection } from "@hermes/state-core";
import type { CopyStatements } from "./copy-statements.js";
import { isDamage } from "./engine-damage.js";

/** The keys between which a table's rows lie, ends included. */
export interface KeyBounds {
  readonly low: number;
  readonly high: number;
}

const DOMAIN = Number.MAX_SAFE_INTEGER;
/** 2^53 is the last doubling that a key can reach. */
const DOUBLINGS = 53;

type Probe = { readonly kind: "key"; readonly key: number } | { readonly kind: "none" } | { readonly kind: "damaged" };

function probe(output: MaintenanceConnection, sql: string, params: readonly number[] = []): Probe {
  try {
    const key = output.get<{ key: unknown }>(sql, params)?.key;
    return typeof key === "number" ? { kind: "key", key } : { kind: "none" };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { kind: "damaged" };
  }
}

/**
 * Looks for the far end of a table whose last page cannot be read: from the good end outwards with doubling steps,
 * about fifty probes in place of a search through all 64 bits.
 */
function gallop(output: MaintenanceConnection, { from }: CopyStatements, good: number): number {
  let reached = good;
  let firstFailure: number | undefined;
  for (let doubling = 0; doubling <= DOUBLINGS; doubling += 1) {
    const at = Math.min(good + 2 ** doubling, DOMAIN);
    const found = probe(output, from, [at]);
    if (found.kind === "none") return at;
    if (found.kind === "damaged") {
      firstFailure ??= at;
      continue;
    }
    reached = Math.max(reached, found.key);
    firstFailure = undefined;
  }
  return Math.max(firstFailure ?? reached, reached);
}

/**
 * Finds the key range of a table by its edges. An edge that is damaged falls back to what galloping finds.
 *
 * @returns Undefined for a table without rows.
 */
export function findBounds(output: MaintenanceConnection, statements: CopyStatements): KeyBounds | undefined {
  const lowest = probe(output, statements.lowest);
  const highest = probe(output, statements.highest);
  if (lowest.kind === "none" || highest.kind === "none") return undefined;
  const low = lowest.kind === "key" ? lowest.key : Math.min(1, highest.kind === "key" ? highest.key : 1);
  if (highest.kind === "key") return { low, high: highest.key };
  return { low, high: gallop(output, statements, low) };
}

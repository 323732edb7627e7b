import { canonicalPath } from "@hermes/state-core";

/** One table for every copy of this package in the process, as for live connections. */
const TABLE = Symbol.for("hermes.state.repairClaims");
const holder = globalThis as unknown as Record<symbol, Set<string> | undefined>;
const claims = (holder[TABLE] ??= new Set<string>());

/**
 * Claims the repair of a database for this process: one at a time, and the second caller is told at once instead of
 * waiting for a lock that its own process holds (REP-08).
 *
 * @returns The claim, to be given back; undefined while another one is out.
 */
export function claimRepair(path: string): Disposable | undefined {
  const key = canonicalPath(path);
  if (claims.has(key)) return undefined;
  claims.add(key);
  let open = true;
  return {
    [Symbol.dispose]() {
      if (open) claims.delete(key);
      open = false;
    },
  };
}

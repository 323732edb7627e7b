import { canonicalPath, findHolders, liveConnectionCount } from "@hermes/state-core";

/**
 * How many processes have a store or one of its sidecars open, this one included if it has. A lower bound where
 * processes of other users cannot be looked at.
 *
 * @returns Null where the system does not say.
 */
export function holdersCount(path: string): number | null {
  if (process.platform !== "linux") return null;
  try {
    const real = canonicalPath(path);
    const { holders } = findHolders(real);
    if (holders.some(({ pid }) => pid < 0)) return null;
    const others = holders.filter(({ files }) => files.length > 0).length;
    return others + (liveConnectionCount(real) > 0 ? 1 : 0);
  } catch {
    // A fact of its own: the others do not depend on it.
    return null;
  }
}

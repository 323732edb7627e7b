import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir, type TestClock, testClock } from "@hermes/testkit";
import type { BundleOptions, BundleResult, ForensicBundle } from "../../src/index.js";
import { takeForensicBundle } from "../../src/index.js";

const GIB = 2 ** 30;

/** A folder with a file to be copied, and what the copies look like. */
export interface BundleFolder extends Disposable {
  readonly dir: TempDir;
  /** The database; `state.db` with whatever sidecars a test puts beside it. */
  readonly path: string;
  readonly clock: TestClock;
  /** Writes the main file (`""`) or a sidecar. */
  write(suffix: string, bytes: string | Buffer): void;
  take(options?: Partial<BundleOptions>): Promise<BundleResult>;
  /** As `take`, for a pass that must yield a bundle. */
  taken(options?: Partial<BundleOptions>): Promise<ForensicBundle>;
  /** Names beside the database that belong to bundles or to their staging, sorted, without the database's own name. */
  names(): string[];
}

/** Whatever the machine's volume holds, there is room. */
export const plenty = (): { freeBytes: number; totalBytes: number } => ({ freeBytes: 50 * GIB, totalBytes: 100 * GIB });

/** A main file of three pages and no sidecars. */
export function bundleFolder(): BundleFolder {
  const dir = tempDir("bundle");
  const path = dir.file("state.db");
  const clock = testClock();
  writeFileSync(path, Buffer.alloc(12_288, 5));
  const take = (options: Partial<BundleOptions> = {}): Promise<BundleResult> =>
    takeForensicBundle(path, { clock, space: plenty, ...options });
  return {
    dir,
    path,
    clock,
    write: (suffix, bytes) => writeFileSync(path + suffix, bytes),
    take,
    taken: async (options) => {
      const result = await take(options);
      if (result.kind === "refused") throw new Error(`refused: ${result.message}`);
      return result;
    },
    names: () =>
      readdirSync(dir.path)
        .filter((name) => /\.(?:malformed-backup|backup-staging)-/.test(name))
        .map((name) => name.slice("state.db".length))
        .sort(),
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}

/** True when a bundle holds exactly the bytes that stand beside the database now, and no part more. */
export function holdsSameBytes(path: string, bundle: string): boolean {
  return ["", "-wal", "-shm", "-journal"].every((suffix) => {
    if (!existsSync(path + suffix)) return !existsSync(bundle + suffix);
    return existsSync(bundle + suffix) && readFileSync(path + suffix).equals(readFileSync(bundle + suffix));
  });
}

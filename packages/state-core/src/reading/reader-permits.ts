/** Most read connections at one time (COR-06). */
export const READERS_PER_FILE = 8;
export const READERS_PER_PROCESS = 24;

/** A pool that can give up a read connection it is not using. */
export interface IdleReaders {
  readonly path: string;
  /** Closes one idle connection; false when there is none. */
  evictOne(): boolean;
}

interface PermitTable {
  readonly perFile: Map<string, number>;
  readonly pools: Set<IdleReaders>;
  total: number;
}

const TABLE = Symbol.for("hermes.state.readerPermits");
const holder = globalThis as unknown as Record<symbol, PermitTable | undefined>;
const permits = (holder[TABLE] ??= { perFile: new Map<string, number>(), pools: new Set<IdleReaders>(), total: 0 });

function fits(path: string): boolean {
  return (permits.perFile.get(path) ?? 0) < READERS_PER_FILE && permits.total < READERS_PER_PROCESS;
}

function evictFor(path: string): boolean {
  const fileIsFull = (permits.perFile.get(path) ?? 0) >= READERS_PER_FILE;
  for (const pool of permits.pools) {
    if ((!fileIsFull || pool.path === path) && pool.evictOne()) return true;
  }
  return false;
}

/** Makes a pool's idle connections available to others that have none left. */
export function joinPools(pool: IdleReaders): void {
  permits.pools.add(pool);
}

/** Takes a pool out again; it has given its permits back before. */
export function leavePools(pool: IdleReaders): void {
  permits.pools.delete(pool);
}

/**
 * Asks for one more read connection on a file, before it is opened. An idle connection of another pool is closed to
 * make room.
 *
 * @param path - Canonical path.
 * @returns False when the file or the process has reached its limit with connections in use.
 */
export function takeReaderPermit(path: string): boolean {
  while (!fits(path)) {
    if (!evictFor(path)) return false;
  }
  permits.perFile.set(path, (permits.perFile.get(path) ?? 0) + 1);
  permits.total += 1;
  return true;
}

/** Gives a permit back, after the connection was closed. */
export function returnReaderPermit(path: string): void {
  const left = (permits.perFile.get(path) ?? 0) - 1;
  if (left > 0) permits.perFile.set(path, left);
  else permits.perFile.delete(path);
  permits.total -= 1;
}

/** Read connections open in this process, for reports and tests. */
export function openReaderCount(): number {
  return permits.total;
}

import { statSync } from "node:fs";

const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/**
 * True when `path` names the database at `storePath` or one of its sidecars, by whatever spelling or link. Looks by
 * stat and never opens a file: closing a descriptor would drop the store's locks (COR-07).
 */
export function isStoreFile(storePath: string, path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return false;
  return SUFFIXES.some((suffix) => {
    const part = statSync(storePath + suffix, { throwIfNoEntry: false });
    return part !== undefined && part.dev === stat.dev && part.ino === stat.ino;
  });
}

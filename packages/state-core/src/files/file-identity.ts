import { statSync } from "node:fs";

/** Which file a path names: one life of the file. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/**
 * The identity of the file at `path` now, or undefined when there is none. Uses stat, which opens no descriptor
 * (COR-07).
 */
export function fileIdentity(path: string): FileIdentity | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { device: stat.dev, inode: stat.ino };
}

/** True when both name the same life of a file. */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.device === b.device && a.inode === b.inode;
}

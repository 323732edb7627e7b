import { statSync } from "node:fs";
import { SIDECAR_SUFFIXES } from "@hermes/state-core";

/** One file of a database: the main file (suffix `""`) or a sidecar, as it was when it was looked at. */
export interface FilePart {
  readonly suffix: string;
  readonly path: string;
  readonly bytes: number;
  readonly inode: number;
  readonly modifiedMs: number;
}

/**
 * The main file and each sidecar that is there, the main file first. By stat alone, so no lock is touched (COR-07).
 *
 * @param path - Canonical path of the database.
 * @throws Error of the system for anything but a file that is not there.
 */
export function presentParts(path: string): FilePart[] {
  const parts: FilePart[] = [];
  for (const suffix of ["", ...SIDECAR_SUFFIXES]) {
    const stat = statSync(path + suffix, { throwIfNoEntry: false });
    if (!stat?.isFile()) continue;
    const { size: bytes, ino: inode, mtimeMs: modifiedMs } = stat;
    parts.push({ suffix, path: path + suffix, bytes, inode, modifiedMs });
  }
  return parts;
}

/** Bytes of all parts together. */
export function totalBytes(parts: readonly FilePart[]): number {
  return parts.reduce((sum, part) => sum + part.bytes, 0);
}

/** True when two looks saw the same files, unchanged as far as size and time tell. */
export function sameParts(a: readonly FilePart[], b: readonly FilePart[]): boolean {
  return (
    a.length === b.length &&
    a.every((part, index) => {
      const other = b[index];
      return (
        other?.suffix === part.suffix &&
        other.bytes === part.bytes &&
        other.inode === part.inode &&
        other.modifiedMs === part.modifiedMs
      );
    })
  );
}

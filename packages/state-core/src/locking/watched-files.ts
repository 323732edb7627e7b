import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SIDECAR_SUFFIXES } from "../files/file-names.js";

/** A database and its sidecars, by the names and by the identities under which others may have them open. */
export interface WatchedFiles {
  /** The kernel reports resolved names, so these are. */
  readonly names: ReadonlySet<string>;
  /** `device:inode` of those that exist: a hard link or another mount gives a file another name. */
  readonly identities: ReadonlySet<string>;
  /** Device of the database; undefined when it does not exist. */
  readonly device: number | undefined;
  /** Folder of the database: the home it belongs to. */
  readonly home: string;
}

/** The identity of a file as {@link WatchedFiles} spells it. */
export function identityOf(stat: { readonly dev: number; readonly ino: number }): string {
  return `${stat.dev}:${stat.ino}`;
}

/**
 * What a scan for holders of a database looks for.
 *
 * @throws the system's error when a file is there and cannot be asked for: then nothing can be ruled out.
 */
export function watchedFiles(path: string): WatchedFiles {
  const stat = statSync(path, { throwIfNoEntry: false });
  const resolved = stat === undefined ? path : realpathSync(path);
  const names = [resolved, ...SIDECAR_SUFFIXES.map((suffix) => resolved + suffix)];
  const identities = new Set<string>();
  for (const name of names) {
    const found = statSync(name, { throwIfNoEntry: false });
    if (found !== undefined) identities.add(identityOf(found));
  }
  return { names: new Set(names), identities, device: stat?.dev, home: dirname(resolved) };
}

import { copyFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { testEnvironment } from "../config/environment.js";
import { repoRoot } from "../config/repo-root.js";
import type { TempDir } from "../temp/temp-dir.js";

/** The folder of files that real peers wrote, or undefined where this machine has none. */
export function peerFolder(): string | undefined {
  const folder = resolve(repoRoot(), testEnvironment().peerFiles ?? join("..", "shared", "fixtures", "peer"));
  return existsSync(folder) && statSync(folder).isDirectory() ? folder : undefined;
}

/**
 * Path of a file that a real peer wrote. Read only: open a copy of it.
 *
 * @param name - File name in the folder, such as `peer-v11.db`.
 * @throws Error when the folder or the file is absent; see {@link describePeer}.
 */
export function peerFile(name: string): string {
  const folder = peerFolder();
  if (folder === undefined) throw new Error(`${name}: ${PEER_ABSENT}`);
  const path = join(folder, name);
  if (!existsSync(path)) throw new Error(`no ${name} in the folder of peer files; check the name or HERMES_PEER_FILES`);
  return path;
}

/**
 * Copies a peer's file into a folder of the test, so that it can be opened and changed.
 *
 * @param name - File name in the folder of peer files.
 * @param dir - Where the copy goes; it keeps its name.
 * @returns Path of the copy.
 */
export function copyPeerFile(name: string, dir: TempDir): string {
  const copy = dir.file(name);
  copyFileSync(peerFile(name), copy);
  return copy;
}

/**
 * What the peer's own readers returned for a file, as it was recorded beside it.
 *
 * @param database - File name in the folder of peer files, such as `peer-v11.db`.
 */
export function peerExpected<T>(database: string): T {
  return JSON.parse(readFileSync(peerFile(database.replace(/\.db$/, ".expected.json")), "utf8")) as T;
}

/** Why a test over peer files did not run. */
export const PEER_ABSENT = "the folder of peer files is absent; set HERMES_PEER_FILES to it";
